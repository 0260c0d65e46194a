// The dashboard's files under `/dashboard/`, if ANNALS_DASHBOARD is set. Called by app.ts. They hold no
// data: the dashboard is a client of /v1 as any other. Its pages may never run or load what is not in this
// table.

import type { FastifyInstance } from "fastify";
import { createRequire } from "node:module";
import { takeNoBody } from "../edge/empty-body.ts";
import { type Responding, serveStaticFiles } from "./static-files.ts";

const HOME = "/dashboard/";

/**
 * Scripts and styles of this address alone, and no text ever becomes markup or the address of a script. The
 * dashboard and the viewer each bring lit-html, so its name occurs twice.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html annals-dashboard annals-viewer 'allow-duplicates'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** A worker has the policy of its own file: this one may open no connection. */
const WORKER_HEADERS = { ...HEADERS, "content-security-policy": "default-src 'none'" };

const SCRIPT = "text/javascript; charset=utf-8";

const FILES = [
  { name: "index.html", url: HOME, type: "text/html; charset=utf-8", headers: HEADERS },
  { name: "style.css", type: "text/css; charset=utf-8", headers: HEADERS },
  { name: "icon.svg", type: "image/svg+xml", headers: HEADERS },
  { name: "dashboard.js", type: SCRIPT, headers: HEADERS },
  { name: "check-worker.js", type: SCRIPT, headers: WORKER_HEADERS },
];

export function serveDashboard(app: FastifyInstance, inFlight: Responding): void {
  const { resolve } = createRequire(import.meta.url);
  serveStaticFiles(
    app,
    FILES.map(({ name, url = `${HOME}${name}`, type, headers }) => ({
      url,
      path: resolve(`@annals/dashboard/${name}`),
      type,
      headers,
    })),
    inFlight,
  );
  app.route({
    method: ["GET", "HEAD"],
    url: HOME.slice(0, -1),
    onRequest: takeNoBody(inFlight),
    handler: ({ raw }, reply) => {
      reply.redirect(HOME, 308);
      inFlight.responded(raw);
      return reply;
    },
  });
}
