// Builds the gateway from top to bottom; what is opened closes in reverse.

import {
  type Closers,
  type ConfigOf,
  createRegistry,
  type Logger,
  rpcClientDuration,
  startAdminServer,
  startTracing,
  watchClock,
} from "@annals/chassis";
import { openTls } from "@annals/rpc";
import { ComparedClock, newId, pooledRandom, Turns } from "@annals/contract";
import type { IncomingMessage } from "node:http";
import { Admissions } from "./admission/admissions.ts";
import { createApp } from "./app.ts";
import { authOf } from "./auth/open-auth.ts";
import { openClients } from "./clients.ts";
import type { SETTINGS } from "./config.ts";
import { AccessLog } from "./edge/access-log.ts";
import { clientAddress, clientIp } from "./edge/client-address.ts";
import { drain, MAX_DRAIN_MS } from "./edge/drain.ts";
import { EarlyResponses } from "./edge/early-response.ts";
import { ListeningSockets } from "./edge/listening-sockets.ts";
import { RequestBudget } from "./edge/request-budget.ts";
import { refuseRequests } from "./edge/refuse-request.ts";
import { RequestsInFlight } from "./edge/requests-in-flight.ts";
import { resourceShares } from "./edge/resources.ts";
import { Unauthenticated } from "./edge/unauthenticated.ts";
import { HEAD_LOG_PER_SECOND } from "./log/head-log.ts";
import { IntakeReports } from "./intake/intake-reports.ts";
import { LIMITS } from "./limits.ts";
import { createMetrics } from "./metrics.ts";
import { openReadAudit } from "./reads/read-audit.ts";
import { EventAppends } from "./events/event-appends.ts";

/** How long readiness waits for the services that the gateway calls. */
const READY_TIMEOUT_MS = 1_000;

/** Minimum rate of bodies and of readers. The rate of a body is measured over the window. */
const TRANSFERS = { minBytesPerSecond: 1_024, bodyWindowMs: 5_000 };

export async function serve(
  config: ConfigOf<typeof SETTINGS>,
  log: Logger,
  closers: Closers,
): Promise<void> {
  const registry = createRegistry("gateway");
  const tracing = await startTracing({ ...config, serviceName: "annals-gateway", isEdge: true });
  closers.add("tracing", tracing, () => tracing.shutdown());

  const tls = await openTls(config, { service: "gateway", registry, log, closers });
  const clients = openClients({ ...config, tls, duration: rpcClientDuration(registry) });
  closers.add("clients", clients, () => clients.close());

  const metrics = createMetrics(registry);
  const random = pooledRandom();
  const appends = new EventAppends(
    clients.ledger,
    metrics.batchers("gateway_appends"),
    clients.ledgers,
  );
  const refusals = new RequestBudget({
    perSecond: config.unauthenticatedPerSecond,
    now: () => performance.now(),
  });
  const unauthenticated = new Unauthenticated({
    budget: refusals,
    onRefused: () => metrics.refused("unknown_keys"),
  });
  const accessLog = new AccessLog({ ...config, log });
  const earlyResponses = new EarlyResponses({ maxMs: config.requestTimeoutMs });
  const clock = new ComparedClock();
  const admissions = new Admissions(
    clients.keys,
    unauthenticated,
    clock,
    metrics.batchers("admissions"),
  );
  const { failures } = metrics;
  const compare = () => admissions.compareClock();
  const clockCheck = await watchClock(clock, { closers, compare, failures, log, registry });
  const addressOf = (request: IncomingMessage): string =>
    clientAddress(request, config.trustedProxies);
  const inFlight = new RequestsInFlight({
    shares: resourceShares(config),
    transfers: { ...TRANSFERS, responseWindowMs: config.responseWindowMs },
    addressOf,
    isEnding: (socket) => earlyResponses.isEnding(socket),
    recognise: ({ headers }) => admissions.recognise(headers.authorization),
    refuse: refuseRequests({
      addressOf,
      earlyResponses,
      limit: config.rateLimitPerMinute,
      newRequestId: () => newId("req", random),
      metrics,
      accessLog,
    }),
    metrics,
  });
  metrics.watchHeld(() => inFlight.used());
  const intake = new IntakeReports(metrics, log);
  const reads = config.auditReads
    ? openReadAudit({ ...metrics, clock, ledger: clients.ledger, log }, closers)
    : undefined;
  const app = await createApp({
    accessLog,
    admissions,
    auth: authOf(config),
    clock,
    deps: { ...clients, appends, intake, limits: LIMITS, turns: new Turns() },
    earlyResponses,
    hasDashboard: config.dashboard,
    headLog: config.logPublic
      ? new RequestBudget({ perSecond: HEAD_LOG_PER_SECOND, now: () => performance.now() })
      : undefined,
    inFlight,
    ipOf: (request) => clientIp(request, config.trustedProxies),
    refusals,
    isTracing: tracing.isOn,
    log,
    metrics,
    random,
    rateLimitPerMinute: config.rateLimitPerMinute,
    reads,
    widgetRateLimitPerMinute: config.widgetRateLimitPerMinute,
    requestTimeoutMs: config.requestTimeoutMs,
    keepAliveTimeoutMs: config.keepAliveS * 1_000,
  });
  const sockets = new ListeningSockets(app.server);
  closers.add("connections", sockets, () => sockets.ended());
  closers.add("http server", app, () => app.close());
  closers.add("listening sockets", sockets, () => sockets.stop());
  await sockets.open(config, (options) => app.listen(options));
  const delayMs = config.shutdownDelayS * 1_000;
  const drained = (): Promise<void> =>
    drain(app.server, { delayMs, connections: () => sockets.connections() });
  closers.add("requests", sockets, drained, delayMs + 2 * MAX_DRAIN_MS);

  const admin = await startAdminServer({
    host: config.adminHost,
    port: config.adminPort,
    registry,
    checks: {
      services: () => clients.ready(READY_TIMEOUT_MS).then(() => undefined),
      clock: clockCheck,
    },
  });
  closers.add("admin server", admin, () => admin.close());
}
