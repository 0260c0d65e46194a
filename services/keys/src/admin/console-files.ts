// The files of the operator's console under /console/. Called by console.ts. They hold no data: the page is a
// client of the admin API as any other. It may never run or load what is not in this table, and no path of a
// request ever becomes the path of a file.

import type { FastifyInstance } from "fastify";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CONSOLE_HOME } from "../outbound/open-providers.ts";

/**
 * Scripts and styles of this address alone, and no text ever becomes markup or the address of a script. The
 * page and the viewer each bring lit-html, so its name occurs twice. Of the gateway it reads events: a script
 * of the gateway's could do what an operator can.
 */
const policy = (gateway: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${gateway}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html annals-viewer 'allow-duplicates'",
  ].join("; ");

const HEADERS = {
  "cache-control": "no-cache",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const SCRIPT = "text/javascript; charset=utf-8";

const FILES = [
  { name: "dashboard/console.html", at: "", type: "text/html; charset=utf-8" },
  { name: "dashboard/console.js", at: "console.js", type: SCRIPT },
  { name: "dashboard/style.css", at: "style.css", type: "text/css; charset=utf-8" },
  { name: "dashboard/icon.svg", at: "icon.svg", type: "image/svg+xml" },
  { name: "viewer/viewer.js", at: "viewer.js", type: SCRIPT },
];

const MOVED = 308;

/** `gateway` is its origin. */
export function serveConsoleFiles(app: FastifyInstance, gateway: string): void {
  const { resolve } = createRequire(import.meta.url);
  const csp = policy(gateway);
  const config = { isOpen: true, name: "console" };
  for (const { at, name, type } of FILES) {
    const bytes = readFileSync(resolve(`@annals/${name}`));
    const etag = `"${hash("sha256", bytes, "base64url")}"`;
    const headers = { ...HEADERS, "content-security-policy": csp, "content-type": type, etag };
    app.get(`${CONSOLE_HOME}${at}`, { config }, async (request, reply) => {
      void reply.headers(headers);
      const isKnown = request.headers["if-none-match"] === etag;
      return isKnown ? reply.code(304).send() : reply.send(bytes);
    });
  }
  for (const url of ["/", CONSOLE_HOME.slice(0, -1)])
    app.get(url, { config }, async (_, reply) => reply.redirect(CONSOLE_HOME, MOVED));
}
