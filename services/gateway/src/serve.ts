// Builds the gateway from top to bottom; what is opened closes in reverse.

import {
  type Closers,
  type ConfigOf,
  createRegistry,
  type Logger,
  rpcClientDuration,
  startAdminServer,
  startTracing,
} from "@annals/chassis";
import { pooledRandom, systemClock } from "@annals/contract";
import { Admissions } from "./admission/admission.ts";
import { createApp } from "./app.ts";
import { openClients } from "./clients.ts";
import type { SETTINGS } from "./config.ts";
import { createMetrics } from "./metrics.ts";
import { EventAppends } from "./v1/events/event-appends.ts";

/** How long readiness waits for the services that the gateway calls. */
const READY_TIMEOUT_MS = 1_000;

export async function serve(
  config: ConfigOf<typeof SETTINGS>,
  log: Logger,
  closers: Closers,
): Promise<void> {
  const registry = createRegistry("gateway");
  const tracing = await startTracing({
    serviceName: "annals-gateway",
    endpoint: config.otlpEndpoint,
  });
  closers.add("tracing", tracing, () => tracing.shutdown());

  const clients = openClients({ ...config, duration: rpcClientDuration(registry) });
  closers.add("clients", clients, () => clients.close());

  const app = await createApp({
    admissions: new Admissions(clients.keys),
    clock: systemClock(),
    deps: { ...clients, appends: new EventAppends(clients.ledger), limits: config },
    log,
    metrics: createMetrics(registry),
    random: pooledRandom(),
    rateLimitPerMinute: config.rateLimitPerMinute,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  closers.add("http server", app, () => app.close());
  await app.listen({ host: config.host, port: config.port });

  const admin = await startAdminServer({
    host: config.adminHost,
    port: config.adminPort,
    registry,
    checks: { services: () => clients.ready(READY_TIMEOUT_MS).then(() => undefined) },
  });
  closers.add("admin server", admin, () => admin.close());
}
