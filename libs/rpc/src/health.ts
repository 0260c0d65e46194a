// The standard health service (grpc.health.v1) that every RPC server carries, for probes and stock clients.
// It answers from the process's own readiness and must never ask another process.

import { setTimeout as sleep } from "node:timers/promises";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@annals/proto/health";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";

/** How often a Watch looks at the readiness, ms. */
const WATCH_INTERVAL_MS = 500;

export interface HealthOptions {
  /** Full names of the services here; the empty name, for the whole server, is always known. */
  readonly services: readonly string[];
  readonly isServing: () => boolean;
  /** Aborted when the server drains: each Watch then says NOT_SERVING and ends. */
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
      let told: ServingStatus | undefined;
      while (!signal.aborted) {
        const status = statusOf(service);
        if (status !== told) yield { status };
        told = status;
        if (options.draining.aborted) return;
        // The timer fails when woken, and the loop looks again.
        await sleep(WATCH_INTERVAL_MS, undefined, { signal: wake, ref: false }).catch(
          () => undefined,
        );
      }
    },
  });
}
