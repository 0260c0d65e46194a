// Builds the ledger from top to bottom; what is opened closes in reverse.

import {
  auditLag,
  type Closers,
  type ConfigOf,
  createRegistry,
  databaseMetrics,
  type Logger,
  type Loop,
  rpcClientDuration,
  startTracing,
  rowsSwept,
  workerFailures,
  watchClock,
  type Registry,
} from "@annals/chassis";
import { clientInterceptors, connectRpc, openAdmissions, openTls, startBackend } from "@annals/rpc";
import { ComparedClock, pooledRandom, Turns } from "@annals/contract";
import {
  connectMessaging,
  DISPATCHER,
  lagMetrics,
  noticeLag,
  noticeMetrics,
  NoticePublisher,
} from "@annals/messaging";
import {
  compareClock,
  createPool,
  roleWith,
  schemaCheck,
  startAuditHandOver,
  type StoredAuditEntry,
  vacuumTables,
} from "@annals/postgres";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import { randomUUID } from "node:crypto";
import { AppendQueue } from "./append/append-queue.ts";
import { GrownChains } from "./append/grown-chains.ts";
import { auditRecorder } from "./audit/rpc/record-audit-events.ts";
import { ACCESS } from "./access.ts";
import { SCHEMA } from "./commands/migrate.ts";
import { originCheck } from "./log/origin-check.ts";
import { ROLE, type SETTINGS } from "./config.ts";
import { openLogPolicy } from "./log/log-policy-file.ts";
import { receiptCheck } from "./append/rules/receipt-time.ts";
import { createMetrics } from "./metrics.ts";
import { SearchTurns } from "./search/search-turns.ts";
import { type Deps, ledgerService } from "./service.ts";
import { AUDIT } from "./store/audit.ts";
import { BlockChecker } from "./verify/block-checker.ts";
import type { VacuumDeps } from "./erasures/worker/vacuum.ts";
import { startWorkers } from "./start-workers.ts";

type Config = ConfigOf<typeof SETTINGS>;

export async function serve(config: Config, log: Logger, closers: Closers): Promise<void> {
  const registry = createRegistry("ledger");
  const metrics = createMetrics(registry);
  const clock = new ComparedClock();
  const random = pooledRandom();
  const { verifier } = await openAdmissions(config, { clock, log, closers });

  const tracing = await startTracing({ ...config, serviceName: "annals-ledger" });
  closers.add("tracing", tracing, () => tracing.shutdown());
  const tls = await openTls(config, { service: "ledger", registry, log, closers });

  const database = createPool({
    connectionString: config.databaseUrl,
    role: roleWith(config.databaseRolePrefix, ROLE),
    applicationName: "annals-ledger",
    maxConnections: config.databasePoolSize,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    metrics: databaseMetrics(registry),
    log,
  });
  closers.add("database", database, () => database.close());
  const [failures, swept] = [workerFailures(registry), rowsSwept(registry)];
  const compare = () => compareClock(clock, database);
  const clockCheck = await watchClock(clock, { closers, compare, failures, log, registry });
  const nats = { url: config.natsUrl, caFile: config.natsCaFile, name: "annals-ledger" };
  const messaging = await connectMessaging({ ...nats, log });
  closers.add("messaging", messaging, () => messaging.close());
  lagMetrics(registry, () => noticeLag(messaging, DISPATCHER));
  const notices = new NoticePublisher(messaging, { log, metrics: noticeMetrics(registry) });
  closers.add("notices", notices, () => notices.close());

  const gatherMs = config.appendGatherMs;
  const grown = new GrownChains();
  const appends = new AppendQueue({
    clock,
    database,
    gatherMs,
    grown,
    idempotencyHours: config.idempotencyHours,
    log,
    metrics,
    notices,
    random,
  });
  const blocks = new BlockChecker(config.verifyConcurrency);
  const keys = openKeys(config, closers.stopping, tls, registry);
  closers.add("keys client", keys, () => keys.close());
  const policy = await openLogPolicy(config, { closers, database, log });
  const epochs = {
    clock,
    closer: randomUUID(),
    intervalS: config.logEpochS,
    keys: keys.client,
    origin: config.logOrigin,
    policy,
  };
  const searches = new SearchTurns(database);
  startWorkers({
    ...config,
    appends,
    blocks,
    closers,
    database,
    databaseClock: clock.other,
    epochs,
    failures,
    grown,
    log,
    metrics,
    random,
    searches,
    swept,
    vacuumTables: vacuumOf(config),
  });
  const deps = {
    admissions: verifier,
    appends,
    auditInAccounts: config.auditInAccounts,
    blocks,
    checkReceipt: receiptCheck(clock.otherMicros),
    clock,
    database,
    databaseClock: clock.other,
    erasureCopies: config.erasureCopies,
    erasureDelayHours: config.erasureDelayHours,
    grown,
    idempotencyHours: config.idempotencyHours,
    keys: keys.client,
    log,
    metrics,
    notices,
    policy,
    random,
    searches,
    turns: new Turns(),
  };
  const audit = startAudit(deps, { failures, lag: auditLag(registry) });
  closers.addWorker("audit", audit);
  await startBackend({
    config,
    routes: ledgerService(deps),
    service: LedgerService,
    access: ACCESS,
    admissions: verifier,
    checks: {
      clock: clockCheck,
      database: schemaCheck(database, SCHEMA),
      log: originCheck(database, config.logOrigin),
    },
    closers,
    log,
    registry,
    tls,
  });
}

function openKeys(
  { keysAddress: address }: Config,
  stopping: AbortSignal,
  tls: Awaited<ReturnType<typeof openTls>>,
  registry: Registry,
) {
  return connectRpc({
    service: KeysService,
    peer: "keys",
    stopping,
    tls,
    address,
    idempotentMethods: ["GetSignedHead", "ListRetentions", "SignEpoch", "SignCheckpoint"],
    interceptors: clientInterceptors({ duration: rpcClientDuration(registry) }),
  });
}

/** Records what the ledger itself changes, as the entries of other services. */
function startAudit(
  deps: Deps,
  metrics: Pick<Parameters<typeof startAuditHandOver>[1], "failures" | "lag">,
): Loop {
  const record = auditRecorder(deps);
  const send = (entries: readonly StoredAuditEntry[]) => record(entries, "ledger");
  return startAuditHandOver(AUDIT, { ...deps, ...metrics, send });
}

function vacuumOf(config: ConfigOf<typeof SETTINGS>): VacuumDeps["vacuumTables"] {
  const { databaseRolePrefix: prefix, databaseUrl: connectionString } = config;
  const role = roleWith(prefix, ROLE);
  const options = { connectionString, role, applicationName: "annals-ledger-vacuum" };
  return (tables, signal) => vacuumTables(options, tables, signal);
}
