// Builds the keys service from top to bottom; what is opened closes in reverse.

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
} from "@annals/chassis";
import {
  AdmissionSigner,
  clientInterceptors,
  connectRpc,
  openAdmissions,
  openTls,
  startBackend,
} from "@annals/rpc";
import { ComparedClock } from "@annals/contract";
import { compareClock, schemaCheck, startAuditHandOver, startRequestSweep } from "@annals/postgres";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import { randomBytes } from "node:crypto";
import { ACCESS } from "./access.ts";
import { openAdminApi } from "./admin/open.ts";
import { SCHEMA } from "./commands/migrate.ts";
import type { SETTINGS } from "./config.ts";
import { createMetrics } from "./metrics.ts";
import { openLogSigner } from "./log-signing/log-key-file.ts";
import { plansCheck, readPlans } from "./accounts/plans-file.ts";
import { logRate } from "./accounts/rules/plan.ts";
import { openIdentities } from "./identity/identity-file.ts";
import { openIssuers } from "./outbound/open-issuers.ts";
import { openProviders } from "./outbound/open-providers.ts";
import { openStateReporters } from "./outbound/state-reporters.ts";
import { openPools } from "./pools.ts";
import { keysService } from "./service.ts";
import { AUDIT } from "./store/audit.ts";
import { REQUESTS } from "./store/requests.ts";
import { RefusedLogins, startRefusedLogins } from "./sessions/refused-logins.ts";
import { startSessionSweep } from "./sessions/worker/session-sweep.ts";
import { startKeySweep } from "./api-keys/worker/key-sweep.ts";
import { LastUses, startLastUses } from "./admissions/last-uses.ts";
import { RefusedAdmissions, startRefusedAdmissions } from "./admissions/refused-admissions.ts";

export async function serve(
  config: ConfigOf<typeof SETTINGS>,
  log: Logger,
  closers: Closers,
): Promise<void> {
  const plans = await readPlans(config.plansFile);
  const registry = createRegistry("keys");
  const clock = new ComparedClock();
  const { secrets, verifier } = await openAdmissions(config, { clock, log, closers });
  const tracing = await startTracing({ ...config, serviceName: "annals-keys" });
  closers.add("tracing", tracing, () => tracing.shutdown());
  const tls = await openTls(config, { service: "keys", registry, log, closers });

  const { admission, database } = openPools(config, databaseMetrics(registry), log);
  closers.add("database of admission", admission, () => admission.close());
  closers.add("database", database, () => database.close());

  const metrics = createMetrics(registry);
  const { failures, swept } = metrics;
  const compare = () => compareClock(clock, database);
  const clockCheck = await watchClock(clock, { closers, compare, failures, log, registry });
  const sweeping = { clock: clock.other, database, failures, log, swept };
  const { idempotencyHours, personRetentionDays, revokedKeyRetentionDays: retentionDays } = config;
  closers.addWorker("key sweep", startKeySweep({ ...sweeping, retentionDays }));
  closers.addWorker("session sweep", startSessionSweep({ ...sweeping, personRetentionDays }));
  const requestSweep = startRequestSweep(REQUESTS, { ...sweeping, idempotencyHours });
  closers.addWorker("request sweep", requestSweep);
  const refused = new RefusedAdmissions({ clock, database });
  const refusals = startRefusedAdmissions(refused, { failures, log });
  closers.addWorker("refused admissions", refusals);
  const refusedLogins = new RefusedLogins({ clock, database, log, logins: metrics.logins });
  const loginRefusals = startRefusedLogins(refusedLogins, { failures, log });
  closers.addWorker("refused logins", loginRefusals);
  const lastUses = new LastUses({ clock, database });
  const uses = startLastUses(lastUses, { failures, log });
  closers.addWorker("last uses", uses);

  const { logRollbacks: rollbacks } = metrics;
  const signer = await openLogSigner(config, { clock, closers, database, log, rollbacks });

  const interceptors = clientInterceptors({ duration: rpcClientDuration(registry) });
  const ledger = connectRpc({
    service: LedgerService,
    peer: "ledger",
    stopping: closers.stopping,
    tls,
    address: config.ledgerAddress,
    idempotentMethods: ["RecordAuditEvents", "ReportState"],
    interceptors,
  });
  closers.add("ledger client", ledger, () => ledger.close());
  const audit = startAuditHandOver(AUDIT, {
    clock,
    database,
    failures,
    lag: auditLag(registry),
    log,
    send: async (entries, signal) =>
      (await ledger.client.recordAuditEvents({ entries: [...entries] }, { signal })).storedIds,
  });
  closers.addWorker("audit", audit);

  const identities = await openIdentities(config.identityFile, { closers, log });
  const providers = await openProviders(config, { clock, identities });
  const issuers = await openIssuers(config, { clock, identities });

  const maker = { clock, random: randomBytes, prefix: config.keyPrefix };
  const deps = { ...maker, database, identities, plans };
  const ofLogins = { ...deps, refusedLogins, secrets };
  const openReporters = () =>
    openStateReporters(config, { closers, interceptors, ledger: ledger.client, tls });
  await openAdminApi(config, { closers, deps: ofLogins, log, metrics, openReporters, tls });

  await startBackend({
    config,
    routes: keysService({
      ...deps,
      admission,
      admissions: new AdmissionSigner({ secrets, clock }),
      idempotencyHours,
      issuers,
      lastUses,
      log,
      metrics,
      providers,
      rateLimitPerMinute: config.rateLimitPerMinute,
      intakeRateLimitPerMinute: config.intakeRateLimitPerMinute,
      logRateLimitPerMinute: logRate(config.rateLimitPerMinute),
      widgetRateLimitPerMinute: config.widgetRateLimitPerMinute,
      personRateLimitPerMinute: config.personRateLimitPerMinute,
      refused,
      refusedLogins,
      secrets,
      sessionIdleMinutes: config.sessionIdleMinutes,
      sessionLifetimeMinutes: config.sessionLifetimeMinutes,
      signer,
    }),
    service: KeysService,
    access: ACCESS,
    admissions: verifier,
    checks: {
      clock: clockCheck,
      database: schemaCheck(database, SCHEMA),
      plans: plansCheck(database, plans),
    },
    closers,
    log,
    registry,
    tls,
  });
}
