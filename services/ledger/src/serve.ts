// Builds the ledger from top to bottom; what is opened closes in reverse.

import {
  type Closers,
  type ConfigOf,
  createRegistry,
  databaseMetrics,
  type Logger,
  rpcClientDuration,
  startTracing,
  rowsSwept,
  workerFailures,
} from "@annals/chassis";
import { clientInterceptors, connectRpc, openAdmissions, openTls, startBackend } from "@annals/rpc";
import { pooledRandom, systemClock, Turns } from "@annals/contract";
import {
  connectMessaging,
  DISPATCHER,
  lagMetrics,
  noticeLag,
  noticeMetrics,
  NoticePublisher,
} from "@annals/messaging";
import { createPool, schemaCheck } from "@annals/postgres";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import { randomUUID } from "node:crypto";
import { AppendQueue } from "./append/append-queue.ts";
import { GrownChains } from "./append/grown-chains.ts";
import { ACCESS } from "./access.ts";
import { SCHEMA } from "./commands/migrate.ts";
import { originCheck } from "./evidence/origin-check.ts";
import { ROLE, type SETTINGS } from "./config.ts";
import { openLogPolicy } from "./log-policy-file.ts";
import { createMetrics } from "./metrics.ts";
import { SearchTurns } from "./search/search-turns.ts";
import { ledgerService } from "./service.ts";
import { BlockChecker } from "./verify/block-checker.ts";
import { startWorkers } from "./workers/start-workers.ts";

export async function serve(
  config: ConfigOf<typeof SETTINGS>,
  log: Logger,
  closers: Closers,
): Promise<void> {
  const registry = createRegistry("ledger");
  const metrics = createMetrics(registry);
  const clock = systemClock();
  const random = pooledRandom();
  const { verifier } = await openAdmissions(config, { clock, log, closers });

  const tracing = await startTracing({ ...config, serviceName: "annals-ledger" });
  closers.add("tracing", tracing, () => tracing.shutdown());
  const tls = await openTls(config, { service: "ledger", registry, log, closers });

  const database = createPool({
    connectionString: config.databaseUrl,
    role: ROLE,
    applicationName: "annals-ledger",
    maxConnections: config.databasePoolSize,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    metrics: databaseMetrics(registry),
    log,
  });
  closers.add("database", database, () => database.close());
  const [failures, swept] = [workerFailures(registry), rowsSwept(registry)];
  const name = "annals-ledger";
  const messaging = await connectMessaging({
    url: config.natsUrl,
    caFile: config.natsCaFile,
    name,
    log,
  });
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
    log,
    metrics,
    notices,
    random,
  });
  const blocks = new BlockChecker(config.verifyConcurrency);
  const keys = connectRpc({
    service: KeysService,
    peer: "keys",
    tls,
    address: config.keysAddress,
    idempotentMethods: ["GetSignedHead", "SignEpoch", "SignCheckpoint"],
    interceptors: clientInterceptors({ duration: rpcClientDuration(registry) }),
  });
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
  startWorkers({
    ...config,
    blocks,
    closers,
    database,
    epochs,
    failures,
    grown,
    log,
    metrics,
    swept,
  });
  await startBackend({
    config,
    routes: ledgerService({
      admissions: verifier,
      appends,
      auditInAccounts: config.auditInAccounts,
      blocks,
      clock,
      database,
      keys: keys.client,
      log,
      metrics,
      notices,
      policy,
      random,
      searches: new SearchTurns(database),
      turns: new Turns(),
    }),
    service: LedgerService,
    access: ACCESS,
    admissions: verifier,
    checks: {
      database: schemaCheck(database, SCHEMA),
      log: originCheck(database, config.logOrigin),
    },
    closers,
    log,
    registry,
    tls,
  });
}
