// The admin API with the operator's console, in the process of the test. Imported by tests only.

import { createRegistry } from "@annals/chassis";
import { publicOrigin, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { AdmissionSecrets } from "@annals/rpc";
import { createSecretKey, randomBytes } from "node:crypto";
import { pino } from "pino";
import { UNLIMITED_PLANS } from "../accounts/rules/plan.ts";
import { startAdminApi } from "../admin/api.ts";
import { Console } from "../admin/console.ts";
import type { Identity } from "../identity/rules/identity.ts";
import { createMetrics } from "../metrics.ts";
import { RefusedLogins } from "../sessions/refused-logins.ts";
import { providersOf } from "./log-in.ts";

interface Options {
  readonly database: Pool;
  readonly identities: { readonly current: Identity };
  readonly origin: string;
  readonly port?: number;
  readonly secrets?: AdmissionSecrets;
  /** The one token that it takes. */
  readonly token: string;
}

export async function openConsole({
  database,
  identities,
  origin,
  port = 0,
  secrets = new Map([["one", createSecretKey(randomBytes(32))]]),
  token,
}: Options): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const clock = systemClock();
  const log = pino({}, { write: () => {} });
  const { adminRequests, logins } = createMetrics(createRegistry("keys"));
  const maker = { clock, random: randomBytes, prefix: "annals" };
  const deps = { ...maker, database, identities, plans: UNLIMITED_PLANS };
  return startAdminApi({
    address: { host: "127.0.0.1", port },
    console: new Console({
      ...deps,
      logins,
      origin: publicOrigin(origin),
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
