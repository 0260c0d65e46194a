// What the gateway serves without a key: what this is at `/`, the reference page at `/docs`, the OpenAPI
// document at `/openapi.json`. Each is made once, at start. Called by app.ts. None may ever name another host
// to load from.

import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";
import { openApiDocument } from "../openapi/document.ts";
import { type Html, page, STYLE_HASH } from "../reference/page.ts";
import { referenceOf } from "../reference/reference.ts";
import { welcome } from "../reference/welcome.ts";
import { type Responding, serveStaticFiles } from "./static-files.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** Nothing is loaded or run but the style inside the page. */
const PAGE_HEADERS = {
  "content-security-policy": `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
};

export function servePages(app: FastifyInstance, deps: Deps, inFlight: Responding): void {
  const document = openApiDocument(deps);
  const { title } = document.info;
  const onePage = (url: string, heading: string, content: Html) => ({
    url,
    content: page(heading, content),
    type: "text/html; charset=utf-8",
    headers: PAGE_HEADERS,
  });
  const files = [
    onePage("/", title, welcome(document.info)),
    onePage("/docs", `${title} reference`, referenceOf(document)),
    { url: "/openapi.json", content: JSON.stringify(document), type: JSON_TYPE },
  ];
  serveStaticFiles(app, files, inFlight);
}
