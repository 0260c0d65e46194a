// Builds the ledger from top to bottom; what is opened closes in reverse.

import {
  type Closers,
  type ConfigOf,
  createRegistry,
  databaseMetrics,
  type Logger,
  startLoop,
  startTracing,
  rowsSwept,
  workerFailures,
} from "@annals/chassis";
import { openAdmissions, openTls, startBackend } from "@annals/rpc";
import { pooledRandom, systemClock, Turns } from "@annals/contract";
import {
  connectMessaging,
  DISPATCHER,
  lagMetrics,
  noticeLag,
  noticeMetrics,
  NoticePublisher,
} from "@annals/messaging";
import { createPool, schemaCheck, startOutboxPruner } from "@annals/postgres";
import { LedgerService } from "@annals/proto/ledger";
import { AppendQueue } from "./append/append-queue.ts";
import { ACCESS } from "./access.ts";
import { SCHEMA } from "./commands/migrate.ts";
import { ROLE, type SETTINGS } from "./config.ts";
import { createMetrics } from "./metrics.ts";
import { SearchTurns } from "./search/search-turns.ts";
import { ledgerService } from "./service.ts";
import { OUTBOX } from "./store/outbox.ts";
import { PASS_DELAY_MS, ScheduledVerification } from "./workers/scheduled-verification.ts";
import { BlockChecker } from "./verify/block-checker.ts";
import { Availability, DELAY_MS as AVAILABILITY_DELAY_MS } from "./workers/availability.ts";
import { GrownChains } from "./trees/grown-chains.ts";
import { DELAY_MS as TREES_DELAY_MS, TreeBuilder } from "./workers/tree-builder.ts";
import { startIdempotencySweep } from "./workers/idempotency-sweep.ts";
import { DELAY_MS as INDEX_DELAY_MS, FilterIndex } from "./workers/filter-index.ts";

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
  const failures = workerFailures(registry);
  const background = { database, failures, log, swept: rowsSwept(registry) };
  const sweep = startIdempotencySweep(background);
  closers.add("idempotency sweep", sweep, () => sweep.stop());
  const index = new FilterIndex({
    database,
    log,
    lag: (events) => metrics.indexLag.set(events),
    isPaused: config.indexPaused,
  });
  const indexing = startLoop({
    ...background,
    name: "filter_index",
    delayMs: INDEX_DELAY_MS,
    initialDelayMs: INDEX_DELAY_MS,
    run: (signal) => index.run(signal),
  });
  closers.add("filter index", indexing, () => indexing.stop());
  const availability = new Availability({
    database,
    unavailable: (share) => metrics.unavailableAccounts.set(share),
  });
  const measuring = startLoop({
    ...background,
    name: "availability",
    delayMs: AVAILABILITY_DELAY_MS,
    run: () => availability.run(),
  });
  closers.add("availability", measuring, () => measuring.stop());
  const blocks = new BlockChecker(config.verifyConcurrency);
  if (config.verifyIntervalHours > 0) {
    const scheduled = new ScheduledVerification({
      ...background,
      blocks,
      metrics,
      intervalHours: config.verifyIntervalHours,
      nowMs: Date.now,
    });
    const verifying = startLoop({
      ...background,
      name: "verification",
      delayMs: PASS_DELAY_MS,
      run: (signal) => scheduled.run(signal),
    });
    closers.add("verification", verifying, () => verifying.stop());
  }
  const pruner = startOutboxPruner(OUTBOX, background);
  closers.add("outbox pruner", pruner, () => pruner.stop());

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
  const trees = new TreeBuilder({
    database,
    grown,
    log,
    lag: (events) => metrics.treeLag.set(events),
    mismatched: (chains) => metrics.treeMismatches.inc(chains),
  });
  const building = startLoop({
    ...background,
    name: "trees",
    delayMs: TREES_DELAY_MS,
    initialDelayMs: TREES_DELAY_MS,
    run: (signal) => trees.run(signal),
  });
  closers.add("trees", building, () => building.stop());
  await startBackend({
    config,
    routes: ledgerService({
      admissions: verifier,
      appends,
      auditInAccounts: config.auditInAccounts,
      blocks,
      clock,
      database,
      log,
      metrics,
      notices,
      random,
      searches: new SearchTurns(database),
      turns: new Turns(),
    }),
    service: LedgerService,
    access: ACCESS,
    admissions: verifier,
    checks: { database: schemaCheck(database, SCHEMA) },
    closers,
    log,
    registry,
    tls,
  });
}
