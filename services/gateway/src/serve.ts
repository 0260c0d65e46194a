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
import { openTls } from "@annals/rpc";
import { newId, pooledRandom, systemClock } from "@annals/contract";
import { Admissions } from "./admission/admission.ts";
import { createApp } from "./app.ts";
import { openClients } from "./clients.ts";
import type { SETTINGS } from "./config.ts";
import { boundRequests } from "./edge/bounded-requests.ts";
import { drain } from "./edge/drain.ts";
import { createMetrics } from "./metrics.ts";
import { EventAppends } from "./v1/events/event-appends.ts";

/** How long readiness waits for the services that the gateway calls. */
const READY_TIMEOUT_MS = 1_000;

/** Connections that the kernel queues until they are accepted; Node's 511 are too few for a burst. */
const LISTEN_BACKLOG = 4_096;

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

  const tls = await openTls(config, { service: "gateway", registry, log, closers });
  const clients = openClients({ ...config, tls, duration: rpcClientDuration(registry) });
  closers.add("clients", clients, () => clients.close());

  const metrics = createMetrics(registry);
  const random = pooledRandom();
  const appends = new EventAppends(clients.ledger, metrics.batchers("gateway_appends"));
  const app = await createApp({
    admissions: new Admissions(clients.keys, metrics.batchers("admissions")),
    clock: systemClock(),
    deps: { ...clients, appends, limits: config },
    log,
    metrics,
    random,
    rateLimitPerMinute: config.rateLimitPerMinute,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  closers.add("http server", app, () => app.close());
  boundRequests(app.server, {
    maxUnderWay: config.requestsMaxUnderWay,
    limit: config.rateLimitPerMinute,
    newRequestId: () => newId("req", random),
    onRefused: metrics.onRefused,
  });
  await app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG });
  closers.add("connections", app, () => drain(app.server));

  const admin = await startAdminServer({
    host: config.adminHost,
    port: config.adminPort,
    registry,
    checks: { services: () => clients.ready(READY_TIMEOUT_MS).then(() => undefined) },
  });
  closers.add("admin server", admin, () => admin.close());
}
