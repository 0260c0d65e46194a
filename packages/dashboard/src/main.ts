// The entry of the page: gives the dashboard what it needs of the browser.

import { App } from "./app.ts";

const root = document.querySelector<HTMLElement>("#dashboard");
if (root) {
  const now = () => Date.now();
  const stores = { storage: sessionStorage, notes: localStorage };
  new App({ root, fetch: fetch.bind(globalThis), now, ...stores }).begin();
}
