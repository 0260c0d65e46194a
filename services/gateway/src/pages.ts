// What the gateway serves to everybody: what this is at `/`, the reference page at `/docs`, the OpenAPI
// document at `/openapi.json`. Each is made once, at start. Called by app.ts. None may ever name another host
// to load from.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "./deps.ts";
import { notFound } from "./edge/answer-error.ts";
import { refuseBody } from "./edge/request-head.ts";
import { openApiDocument } from "./openapi/document.ts";
import { type Html, page, STYLE_HASH } from "./reference/page.ts";
import { referenceOf } from "./reference/reference.ts";
import { welcome } from "./reference/welcome.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** Nothing is loaded or run but the style inside the page. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The router takes `*`, which is no path, for `/`. */
async function refuseAsterisk(request: FastifyRequest): Promise<void> {
  if (request.url === "*") await notFound(request);
}

export function servePages(app: FastifyInstance, deps: Deps): void {
  const document = openApiDocument(deps);
  const serve = (url: string, headers: Record<string, string>, text: string) => {
    const body = Buffer.from(text);
    app.route({
      method: ["GET", "HEAD"],
      url,
      onRequest: [refuseAsterisk, refuseBody],
      handler: (_request, reply) => reply.headers(headers).send(body),
    });
  };
  const servePage = (url: string, title: string, content: Html) =>
    serve(url, PAGE_HEADERS, page(title, content));
  servePage("/", document.info.title, welcome(document.info));
  servePage("/docs", `${document.info.title} reference`, referenceOf(document));
  serve("/openapi.json", { "content-type": JSON_TYPE }, JSON.stringify(document));
}
