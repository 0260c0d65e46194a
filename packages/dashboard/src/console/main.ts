// The entry of the operator's console: gives it what it needs of the browser.

import { ConsoleApp } from "./console-app.ts";

const root = document.querySelector<HTMLElement>("#console");
if (root) new ConsoleApp({ root, fetch: fetch.bind(globalThis) }).begin();
