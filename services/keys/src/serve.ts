// Builds the keys service from top to bottom; what is opened closes in reverse.

import {
  type Closers,
  type ConfigOf,
  createRegistry,
  databaseMetrics,
  type Logger,
  rpcRefusals,
  rpcServerDuration,
  startAdminServer,
  startTracing,
} from "@annals/chassis";
import {
  AdmissionSigner,
  openAdmissions,
  openTls,
  serverInterceptors,
  startRpcServer,
} from "@annals/rpc";
import { systemClock } from "@annals/contract";
import { createPool, schemaCheck } from "@annals/postgres";
import { KeysService } from "@annals/proto/keys";
import { randomBytes } from "node:crypto";
import { ACCESS } from "./access.ts";
import { openAdminApi } from "./admin/open.ts";
import { SCHEMA } from "./commands/migrate.ts";
import { ROLE } from "./commands/open.ts";
import type { SETTINGS } from "./config.ts";
import type { Plans } from "./domain/plan.ts";
import { createMetrics } from "./metrics.ts";
import { plansCheck } from "./plans-file.ts";
import { keysService } from "./service.ts";
import { startKeySweep } from "./workers/key-sweep.ts";

export async function serve(
  config: ConfigOf<typeof SETTINGS>,
  plans: Plans,
  log: Logger,
  closers: Closers,
): Promise<void> {
  const registry = createRegistry("keys");
  const clock = systemClock();
  const { secrets, verifier } = await openAdmissions(config, clock);
  const tracing = await startTracing({ ...config, serviceName: "annals-keys" });
  closers.add("tracing", tracing, () => tracing.shutdown());
  const tls = await openTls(config, { service: "keys", registry, log, closers });

  const database = createPool({
    connectionString: config.databaseUrl,
    role: ROLE,
    applicationName: "annals-keys",
    maxConnections: config.databasePoolSize,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    metrics: databaseMetrics(registry),
    log,
  });
  closers.add("database", database, () => database.close());

  const metrics = createMetrics(registry);
  const { failures, swept } = metrics;
  const retentionDays = config.revokedKeyRetentionDays;
  const sweep = startKeySweep({ clock, database, failures, log, retentionDays, swept });
  closers.add("key sweep", sweep, () => sweep.stop());

  const maker = { clock, random: randomBytes, prefix: config.keyPrefix };
  const deps = { ...maker, database, plans };
  await openAdminApi(config, { closers, deps, log, metrics, tls });

  const rpc = await startRpcServer({
    host: config.rpcHost,
    port: config.rpcPort,
    routes: keysService({
      ...deps,
      admissions: new AdmissionSigner({ secrets, clock }),
      metrics,
      rateLimitPerMinute: config.rateLimitPerMinute,
    }),
    service: KeysService,
    tls,
    access: ACCESS,
    refused: rpcRefusals(registry),
    admissions: verifier,
    interceptors: serverInterceptors({ log, duration: rpcServerDuration(registry) }),
    maxConnectionAgeMs: config.rpcMaxConnectionAgeS * 1000,
    isReady: () => true,
    log,
  });
  closers.add("rpc server", rpc, () => rpc.close());

  const admin = await startAdminServer({
    host: config.adminHost,
    port: config.adminPort,
    registry,
    checks: { database: schemaCheck(database, SCHEMA), plans: plansCheck(database, plans) },
  });
  closers.add("admin server", admin, () => admin.close());
}
