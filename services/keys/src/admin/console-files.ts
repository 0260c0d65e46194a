// The files of the operator's console under /console/. Called by console.ts. They hold no data: the page is a
// client of the admin API as any other. It may never run or load what is not in this table, and no path of a
// request ever becomes the path of a file.

import type { FastifyInstance } from "fastify";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CONSOLE_HOME } from "../outbound/open-providers.ts";

/** Scripts and styles of this address alone, and no text ever becomes markup or the address of a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html",
].join("; ");

const HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const FILES = [
  { name: "console.html", at: "", type: "text/html; charset=utf-8" },
  { name: "console.js", at: "console.js", type: "text/javascript; charset=utf-8" },
  { name: "style.css", at: "style.css", type: "text/css; charset=utf-8" },
  { name: "icon.svg", at: "icon.svg", type: "image/svg+xml" },
];

const MOVED = 308;

export function serveConsoleFiles(app: FastifyInstance): void {
  const { resolve } = createRequire(import.meta.url);
  const config = { isOpen: true, name: "console" };
  for (const { at, name, type } of FILES) {
    const bytes = readFileSync(resolve(`@annals/dashboard/${name}`));
    const etag = `"${hash("sha256", bytes, "base64url")}"`;
    const headers = { ...HEADERS, "content-type": type, etag };
    app.get(`${CONSOLE_HOME}${at}`, { config }, async (request, reply) => {
      void reply.headers(headers);
      const isKnown = request.headers["if-none-match"] === etag;
      return isKnown ? reply.code(304).send() : reply.send(bytes);
    });
  }
  for (const url of ["/", CONSOLE_HOME.slice(0, -1)])
    app.get(url, { config }, async (_, reply) => reply.redirect(CONSOLE_HOME, MOVED));
}
