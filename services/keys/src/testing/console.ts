// The admin API with the operator's console, in the process of the test, and what the ledger would say of its
// entries. Imported by tests only.

import { createRegistry } from "@annals/chassis";
import { auditFault, publicOrigin, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { AdmissionSecrets } from "@annals/rpc";
import type { TestDatabase } from "@annals/testing";
import { createSecretKey, randomBytes } from "node:crypto";
import { pino } from "pino";
import { UNLIMITED_PLANS } from "../accounts/rules/plan.ts";
import { startAdminApi } from "../admin/api.ts";
import { Console } from "../admin/console.ts";
import type { Identity } from "../identity/rules/identity.ts";
import { createMetrics } from "../metrics.ts";
import type { StateReporters } from "../outbound/state-reporters.ts";
import { RefusedLogins } from "../sessions/refused-logins.ts";
import { providersOf } from "./log-in.ts";

const silent = { reportState: () => Promise.reject(new Error("nobody answers")) };
const SILENT: StateReporters = { ledger: silent, exports: silent, webhooks: silent };

interface Options {
  readonly database: Pool;
  readonly identities: { readonly current: Identity };
  readonly origin: string;
  readonly port?: number;
  /** The origin of the gateway. */
  readonly publicUrl?: string;
  readonly secrets?: AdmissionSecrets;
  /** By default no other service answers. */
  readonly reporters?: StateReporters;
  /** The one token that it takes. */
  readonly token: string;
}

export async function openConsole({
  database,
  identities,
  origin,
  port = 0,
  publicUrl = "https://audit.example.com",
  reporters = SILENT,
  secrets = new Map([["one", createSecretKey(randomBytes(32))]]),
  token,
}: Options): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const clock = systemClock();
  const log = pino({}, { write: () => {} });
  const { adminRequests, logins } = createMetrics(createRegistry("keys"));
  const maker = { clock, random: randomBytes, prefix: "annals" };
  const consoleAt = { origin, publicUrl };
  const deps = {
    ...maker,
    consoleAt,
    database,
    identities,
    plans: UNLIMITED_PLANS,
    reporters,
  };
  return startAdminApi({
    address: { host: "127.0.0.1", port },
    console: new Console({
      ...deps,
      logins,
      origin: publicOrigin(origin),
      publicUrl,
      providers: await providersOf(identities, { publicUrl: origin }),
      refusedLogins: new RefusedLogins({ clock, database, log, logins }),
      secrets,
      sessionIdleMinutes: 60,
      sessionLifetimeMinutes: 480,
    }),
    deps,
    log,
    requests: adminRequests,
    tls: "plaintext",
    tokens: { accepts: (given) => given === token },
  });
}

/** Entries of the audit that wait in keys, and that the ledger refuses from it. */
export async function refusedEntries(owner: Pick<TestDatabase, "query">): Promise<unknown[]> {
  const rows = await owner.query<{ event: string }>("SELECT event FROM keys.audit_outbox");
  const now = systemClock().nowText();
  return rows
    .map(({ event }) => JSON.parse(event))
    .filter(
      ({ action, actor, occurred_at: occurredAt }) =>
        auditFault("keys", { action, actor, occurredAt }, now) !== undefined,
    );
}
