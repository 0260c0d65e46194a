// Builds the webhook dispatcher from top to bottom; what is opened closes in reverse.

import {
  auditLag,
  type Closers,
  ConfigError,
  type ConfigOf,
  createRegistry,
  databaseMetrics,
  type Logger,
  type Registry,
  startTracing,
  watchClock,
} from "@annals/chassis";
import { openAdmissions, openTls, startBackend, startErasedCopies } from "@annals/rpc";
import { ComparedClock } from "@annals/contract";
import { connectMessaging, consumeNotices, DISPATCHER } from "@annals/messaging";
import {
  compareClock,
  createPool,
  roleWith,
  schemaCheck,
  startAuditHandOver,
  startRequestSweep,
} from "@annals/postgres";
import { WebhooksService } from "@annals/proto/webhooks";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { openProducers, type OpenProducers } from "./clients.ts";
import { ACCESS } from "./access.ts";
import { SCHEMA } from "./commands/migrate.ts";
import { ROLE } from "./config.ts";
import { openSecretKeys } from "./sealing/commands/secret-key-file.ts";
import type { SETTINGS } from "./config.ts";
import { createMetrics } from "./metrics.ts";
import { accountResolver } from "./outbound/account-resolver.ts";
import { AddressGuard, isSystemName } from "./outbound/address-guard.ts";
import { EventReader } from "./deliveries/event-reader.ts";
import { dnsLookUp, withSystemNames } from "./outbound/look-up.ts";
import { Sender } from "./outbound/sender.ts";
import { awaitDisabled } from "./webhooks/rpc/await-disabled.ts";
import { ReplayTurns } from "./deliveries/replay-turns.ts";
import { secretKeysCheck } from "./sealing/secret-keys-check.ts";
import { webhooksService } from "./service.ts";
import { configRules } from "./sinks/config-rules.ts";
import { startLogAnchors } from "./start-anchors.ts";
import { startSinks } from "./start-sinks.ts";
import { AUDIT } from "./store/audit.ts";
import { REQUESTS } from "./store/requests.ts";
import { START_WINDOW_MS } from "./deliveries/worker/attempts.ts";
import { DATABASE_CLOCK } from "./store/moment.ts";
import { Checkpoints } from "./deliveries/worker/checkpoints.ts";
import { startCleanUp } from "./deliveries/worker/clean-up.ts";
import { DeliveryTraces } from "./deliveries/worker/delivery-traces.ts";
import { DeliveryEngine } from "./deliveries/worker/delivery-engine.ts";
import { erasedCopies } from "./deliveries/worker/erased-copies.ts";
import { FanOut, type FanOutDeps } from "./deliveries/worker/fan-out.ts";
import { startMeasuringBacklog } from "./deliveries/worker/measuring.ts";
import { startSweep } from "./deliveries/worker/sweep.ts";

/** Attempts of one replica, and shares of them. An account has at most half of what is free of a host. */
const SHARES = {
  maxInFlight: 1_000,
  maxInFlightPerEndpoint: 10,
  maxInFlightPerAccount: 200,
  maxInFlightPerHost: 100,
};
/** Grace period of attempts in flight; shorter than the time that run.ts gives each part to close. */
const DRAIN_GRACE_MS = 7_000;

type Config = ConfigOf<typeof SETTINGS>;

export async function serve(config: Config, log: Logger, closers: Closers): Promise<void> {
  const keys = await openSecretKeys(config.secretKeyFile, { log, closers });
  const clock = new ComparedClock();
  const { verifier } = await openAdmissions(config, { clock, log, closers });
  const registry = createRegistry("webhook-dispatcher");
  const metrics = createMetrics(registry);
  const tracing = await startTracing({ ...config, serviceName: "annals-webhook-dispatcher" });
  closers.add("tracing", tracing, () => tracing.shutdown());
  const tls = await openTls(config, { service: "webhook-dispatcher", registry, log, closers });

  const database = openDatabase(config, log, registry);
  closers.add("database", database, () => database.close());
  const producers = openProducers({ ...config, stopping: closers.stopping, tls }, registry);
  closers.add("clients", producers, () => producers.close());

  const { failures } = metrics;
  const compare = () => compareClock(clock, database);
  const clockCheck = await watchClock(clock, { closers, compare, failures, log, registry });
  const guard = openGuard(config);
  const shared = {
    clock,
    database,
    databaseMicros: clock.otherMicros,
    events: new EventReader(producers),
    guard,
    keys,
    log,
    metrics,
    random: randomBytes,
    traces: new DeliveryTraces(),
    now: () => DATABASE_CLOCK,
  };

  const extraAuthorities = await readAuthorities(config.caFile);
  const sender = new Sender({ ...config, clock, guard, extraAuthorities });
  closers.add("connections", sender, () => sender.close());
  const engine = new DeliveryEngine({ ...config, ...SHARES, ...shared, sender });
  closers.addWorker("deliveries", { stop: () => engine.stop(DRAIN_GRACE_MS) });
  engine.start();

  const cleanUp = startCleanUp({ ...shared, retentionDays: config.retentionDays });
  closers.addWorker("clean-up", cleanUp);
  const { idempotencyHours } = config;
  const requestSweep = startRequestSweep(REQUESTS, { ...shared, ...metrics, idempotencyHours });
  closers.addWorker("request sweep", requestSweep);
  const measuring = startMeasuringBacklog(shared);
  closers.addWorker("measuring", measuring);
  const onDeliveries: FanOutDeps["onDeliveries"] = (...made) => engine.notify(...made);
  const fanOut = new FanOut({ ...config, ...shared, producers, onDeliveries });
  closers.addWorker("fan-out", fanOut);
  const sweep = startSweep({ ...shared, fanOut, producers, intervalMs: config.sweepIntervalMs });
  closers.addWorker("sweep", sweep);
  const checkpoints = startCheckpoints(config, { ...shared, producers, onDeliveries }, closers);

  const sinks = await startSinks(config, { ...shared, extraAuthorities, producers }, closers);
  const anchorDeps = { ...shared, extraAuthorities, ledger: producers.anchors };
  await startLogAnchors(config, anchorDeps, closers);

  const copies = startErasedCopies(erasedCopies({ ...shared, ledger: producers.erasures }));
  closers.addWorker("erased copies", copies);

  const audit = startAudit({ ...shared, failures, registry, send: producers.recordAudit });
  closers.addWorker("audit", audit);

  const messaging = await connectMessaging({
    url: config.natsUrl,
    caFile: config.natsCaFile,
    name: "annals-webhook-dispatcher",
    log,
  });
  closers.add("messaging", messaging, () => messaging.close());
  const notices = consumeNotices(messaging, {
    durable: DISPATCHER,
    onNotice: (notice) => fanOut.notify(notice),
    log,
  });
  closers.add("notices", notices, () => notices.stop());

  await startBackend({
    config,
    routes: webhooksService({
      ...config,
      ...shared,
      producers,
      configRules: configRules(guard, config.allowProcessCredentials),
      replayTurns: new ReplayTurns(),
      awaitDisabled: awaitDisabled({
        database,
        startWindowMs: START_WINDOW_MS,
        onDisabled: () => cleanUp.wake(),
      }),
      ...sinks,
      onDeliveries,
      onSubscriber: (accountId) => {
        fanOut.expectSubscriber(accountId);
        sweep.expectWork();
        checkpoints.expectSubscriber(accountId);
      },
    }),
    service: WebhooksService,
    access: ACCESS,
    admissions: verifier,
    checks: {
      clock: clockCheck,
      database: schemaCheck(database, SCHEMA),
      keys: secretKeysCheck(database, keys),
    },
    closers,
    log,
    registry,
    tls,
  });
}

/**
 * Checkpoints have a fan-out of their own, because each waits for a signature of keys: events, verifications
 * and exports never wait behind them.
 */
function startCheckpoints(
  config: Config,
  deps: Omit<FanOutDeps, keyof Config | "producers"> & { readonly producers: OpenProducers },
  closers: Closers,
): { readonly expectSubscriber: (accountId: string) => void } {
  const fanOut = new FanOut({ ...config, ...deps });
  closers.addWorker("fan-out of checkpoints", fanOut);
  const checkpoints = new Checkpoints({ ...deps, fanOut, intervalMs: config.sweepIntervalMs });
  closers.addWorker("checkpoints", checkpoints.start());
  return {
    expectSubscriber: (accountId) => {
      fanOut.expectSubscriber(accountId);
      checkpoints.expectSubscriber();
    },
  };
}

function openGuard(config: Config): AddressGuard {
  const dns = dnsLookUp();
  const lookUp = config.allowPrivateAddresses ? withSystemNames(dns, isSystemName) : dns;
  return new AddressGuard({ ...config, resolve: accountResolver({ ...config, lookUp }) });
}

function openDatabase(config: Config, log: Logger, registry: Registry) {
  return createPool({
    connectionString: config.databaseUrl,
    role: roleWith(config.databaseRolePrefix, ROLE),
    applicationName: "annals-webhook-dispatcher",
    maxConnections: config.databasePoolSize,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    metrics: databaseMetrics(registry),
    log,
  });
}

async function readAuthorities(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, "utf8").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : "cannot be read";
    throw new ConfigError(`ANNALS_WEBHOOK_CA_FILE ${file}: ${reason}`);
  });
}

function startAudit({
  registry,
  ...deps
}: Omit<Parameters<typeof startAuditHandOver>[1], "lag"> & { readonly registry: Registry }) {
  return startAuditHandOver(AUDIT, { ...deps, lag: auditLag(registry) });
}
