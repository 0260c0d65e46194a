// The page at `/`: what this is and where to go.

import { type Html, html, prose } from "./page.ts";

export function welcome(info: { readonly title: string; readonly description: string }): Html {
  return html`<main>
    <h1>${info.title}</h1>
    ${prose(info.description)}
    <ul>
      <li><a href="/docs">/docs</a>: the API reference</li>
      <li>
        <a href="/openapi.json">/openapi.json</a>: the OpenAPI 3.1 document, for generators of
        clients
      </li>
      <li>
        <code>/v1</code>: the interface. It needs an API key, which the operator of this service
        gives you
      </li>
    </ul>
  </main>`;
}
