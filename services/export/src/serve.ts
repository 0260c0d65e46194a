// Builds the export service from top to bottom; what is opened closes in reverse.

import {
  auditLag,
  type Closers,
  type ConfigOf,
  createRegistry,
  databaseMetrics,
  type Logger,
  rpcClientDuration,
  startTracing,
  watchClock,
  type Registry,
} from "@annals/chassis";
import {
  clientInterceptors,
  connectRpc,
  openAdmissions,
  openTls,
  startBackend,
  startErasedCopies,
} from "@annals/rpc";
import { ComparedClock } from "@annals/contract";
import { connectMessaging, noticeMetrics, NoticePublisher } from "@annals/messaging";
import {
  compareClock,
  createPool,
  roleWith,
  schemaCheck,
  startAuditHandOver,
  startOutboxPruner,
} from "@annals/postgres";
import { ExportsService } from "@annals/proto/exports";
import { LedgerService } from "@annals/proto/ledger";
import { randomBytes } from "node:crypto";
import { ACCESS } from "./access.ts";
import { SCHEMA } from "./commands/migrate.ts";
import type { SETTINGS } from "./config.ts";
import { createMetrics } from "./metrics.ts";
import { openStorage } from "./storage/open-storage.ts";
import { exportsService } from "./service.ts";
import { AUDIT } from "./store/audit.ts";
import { OUTBOX } from "./exports/store/outbox.ts";
import { startArchives } from "./archives/worker/archives.ts";
import { erasedCopies } from "./exports/worker/erased-copies.ts";
import { startExportMeasuring } from "./exports/worker/measuring.ts";
import { startExportSweep } from "./exports/worker/export-sweep.ts";
import { ExportWorker } from "./exports/worker/export-worker.ts";

/** The role that 0001_exports.sql creates. */
const ROLE = "annals_exports";

const ATTEMPTS = {
  /** Without a renewal for this long, another replica takes over the export. */
  leaseMs: 15_000,
  /** Between two polls for exports that other replicas queued, or did not finish. */
  pollIntervalMs: 1_000,
  /** Attempts at an export, with backoff between them, before it fails permanently. */
  maxAttempts: 10,
};

const ARCHIVES = {
  leaseMs: ATTEMPTS.leaseMs,
  /** How long erasures of one account may read and write archives before other accounts have their turn. */
  sliceMs: 10_000,
};

type Config = ConfigOf<typeof SETTINGS>;

export async function serve(config: Config, log: Logger, closers: Closers): Promise<void> {
  const registry = createRegistry("export");
  const clock = new ComparedClock();
  const { verifier } = await openAdmissions(config, { clock, log, closers });
  const tracing = await startTracing({ ...config, serviceName: "annals-export" });
  closers.add("tracing", tracing, () => tracing.shutdown());
  const tls = await openTls(config, { service: "export", registry, log, closers });

  const database = createPool({
    connectionString: config.databaseUrl,
    role: roleWith(config.databaseRolePrefix, ROLE),
    applicationName: "annals-export",
    maxConnections: config.databasePoolSize,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    metrics: databaseMetrics(registry),
    log,
  });
  closers.add("database", database, () => database.close());

  const messaging = await connectMessaging({
    url: config.natsUrl,
    caFile: config.natsCaFile,
    name: "annals-export",
    log,
  });
  closers.add("messaging", messaging, () => messaging.close());
  const notices = new NoticePublisher(messaging, { log, metrics: noticeMetrics(registry) });
  closers.add("notices", notices, () => notices.close());

  const ledger = openLedger(config, closers.stopping, tls, registry);
  closers.add("ledger client", ledger, () => ledger.close());
  const storage = await openStorage(config.storageLocation);
  closers.add("storage", storage, () => storage.close());

  const { client } = ledger;
  const metrics = createMetrics(registry);
  const work = { clock, database, ledger: client, log, metrics, notices, storage };
  const { failures, swept } = metrics;
  const compare = () => compareClock(clock, database);
  const clockCheck = await watchClock(clock, { closers, compare, failures, log, registry });
  const worker = new ExportWorker({ ...work, ...config, ...ATTEMPTS });
  closers.addWorker("worker", worker);

  // What it deletes goes by the clock of the database.
  const kept = { ...work, clock: clock.other };
  const pruner = startOutboxPruner(OUTBOX, { ...kept, failures, swept });
  closers.addWorker("outbox pruner", pruner);

  const measuring = startExportMeasuring({ database, metrics, log });
  closers.addWorker("measuring", measuring);
  const audit = startAuditHandOver(AUDIT, {
    clock,
    database,
    failures,
    lag: auditLag(registry),
    log,
    send: async (entries, signal) =>
      (await client.recordAuditEvents({ entries: [...entries] }, { signal })).storedIds,
  });
  closers.addWorker("audit", audit);

  const { retentionDays } = config;
  const sweep = startExportSweep({ ...kept, failures, retentionDays, swept });
  closers.addWorker("export sweep", sweep);
  const onDeleted = () => sweep.wake();
  const copies = startErasedCopies(erasedCopies({ ...kept, ...ARCHIVES, onDeleted }));
  closers.addWorker("erased copies", copies);
  const archives = startArchives({ ...kept, ...ARCHIVES, failures, random: randomBytes });
  closers.addWorker("archives", archives);

  await startBackend({
    config,
    routes: exportsService({
      ...work,
      limits: config,
      retentionDays,
      random: randomBytes,
      onDeleted,
      wake: (jobId) => worker.wake(jobId),
    }),
    service: ExportsService,
    access: ACCESS,
    admissions: verifier,
    checks: {
      clock: clockCheck,
      database: schemaCheck(database, SCHEMA),
      storage: () => storage.check(),
    },
    closers,
    log,
    registry,
    tls,
  });
}

function openLedger(
  { ledgerAddress: address }: Config,
  stopping: AbortSignal,
  tls: Awaited<ReturnType<typeof openTls>>,
  registry: Registry,
) {
  return connectRpc({
    service: LedgerService,
    peer: "ledger",
    stopping,
    tls,
    address,
    idempotentMethods: [
      "GetLog",
      "ConfirmArchive",
      "ConfirmErasure",
      "ListEvents",
      "ListHeads",
      "ListLifecycles",
      "ListOpenErasures",
      "ReadCheckpoint",
      "ReadTile",
      "RecordAuditEvents",
      "ReportErasureMatches",
    ],
    interceptors: clientInterceptors({ duration: rpcClientDuration(registry) }),
  });
}
