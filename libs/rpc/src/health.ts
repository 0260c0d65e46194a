// The standard health service (grpc.health.v1) of every RPC server, for probes and stock clients. Called by
// server.ts. It reports the process's own readiness and must never call another process.

import { setTimeout as sleep } from "node:timers/promises";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@annals/proto/health";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";

/** How often a Watch polls the readiness. */
const WATCH_INTERVAL_MS = 500;

export interface HealthOptions {
  /** Full names of the services here; the empty name, for the whole server, is always known. */
  readonly services: readonly string[];
  readonly isServing: () => boolean;
  /** Aborted when the server drains: each Watch then sends NOT_SERVING and ends. */
  readonly draining: AbortSignal;
}

export function healthRoutes(router: ConnectRouter, options: HealthOptions): void {
  const names = new Set(["", Health.typeName, ...options.services]);
  const statusOf = (service: string): ServingStatus => {
    if (!names.has(service)) return ServingStatus.SERVICE_UNKNOWN;
    return options.isServing() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  };
  router.service(Health, {
    check({ service }) {
      const status = statusOf(service);
      if (status === ServingStatus.SERVICE_UNKNOWN) {
        throw new ConnectError("This server has no such service.", Code.NotFound);
      }
      return { status };
    },
    async *watch({ service }, { signal }) {
      const wake = AbortSignal.any([signal, options.draining]);
      let sent: ServingStatus | undefined;
      while (!signal.aborted) {
        const status = statusOf(service);
        if (status !== sent) yield { status };
        sent = status;
        if (options.draining.aborted) return;
        // An abort rejects the sleep, and the loop polls again.
        await sleep(WATCH_INTERVAL_MS, undefined, { signal: wake, ref: false }).catch(
          () => undefined,
        );
      }
    },
  });
}
