// The admin server of every process: /livez, /readyz and /metrics on a port that only the platform can reach.
// Called by serve.ts. Liveness says only that the process is responsive: a lost database must not restart
// every pod. Readiness runs the checks.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { watchTurns } from "./longest-turn.ts";

/** Resolves to undefined when ready, else to a sentence that says what is missing. */
export type ReadinessCheck = () => Promise<string | undefined>;

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A check that takes longer has failed. */
const CHECK_TIMEOUT_MS = 2_000;

export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    switch (path) {
      case "/livez":
        return respond(response, 200, "text/plain", "ok\n");
      case "/readyz":
        return void readiness(options.checks).then((faults) =>
          respond(
            response,
            faults.length === 0 ? 200 : 503,
            "text/plain",
            faults.join("") || "ok\n",
          ),
        );
      case "/metrics":
        return void options.registry.metrics().then(
          (page) => respond(response, 200, options.registry.contentType, page),
          () => respond(response, 500, "text/plain", "metrics failed\n"),
        );
      default:
        return respond(
          response,
          404,
          "text/plain",
          "this server has /livez, /readyz and /metrics\n",
        );
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const endWatch = watchTurns(options.registry);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        endWatch();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One line for each check that fails. */
async function readiness(checks: AdminServerOptions["checks"]): Promise<string[]> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const fault = await bounded(check).catch((error: unknown) =>
        error instanceof Error ? error.message : "failed",
      );
      return fault === undefined ? undefined : `${name}: ${fault}\n`;
    }),
  );
  return answers.filter((line) => line !== undefined);
}

async function bounded(check: ReadinessCheck): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(
      () => resolve(`no response within ${CHECK_TIMEOUT_MS} ms`),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response
    .writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) })
    .end(body);
}
