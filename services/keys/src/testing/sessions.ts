// The RPCs of sessions over a real provider and a real database, without the server. Imported by tests only.

import { type Clock, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { FinishLoginResponse } from "@annals/proto/keys";
import { createRegistry } from "@annals/chassis";
import type { AdmissionSecrets } from "@annals/rpc";
import type { HandlerContext } from "@connectrpc/connect";
import { createSecretKey, randomBytes } from "node:crypto";
import { pino } from "pino";
import type { Identity } from "../identity/rules/identity.ts";
import { createMetrics } from "../metrics.ts";
import type { Providers } from "../outbound/open-providers.ts";
import { beginLogin } from "../sessions/rpc/begin-login.ts";
import { endProviderSessions } from "../sessions/rpc/end-provider-sessions.ts";
import { endSession } from "../sessions/rpc/end-session.ts";
import { finishLogin } from "../sessions/rpc/finish-login.ts";
import { getSession } from "../sessions/rpc/get-session.ts";
import { RefusedLogins } from "../sessions/refused-logins.ts";
import { findSession, useSession } from "../sessions/sessions.ts";
import type { IdentityProviderServer } from "./identity-provider.ts";

const CONTEXT = { requestHeader: new Headers({ "x-request-id": "req_1" }) } as HandlerContext;

export interface LogLine {
  readonly msg: string;
  readonly reason?: string;
}

interface Options {
  readonly clock?: Clock;
  readonly database: Pool;
  readonly identities: { readonly current: Identity };
  readonly providers: Providers;
  readonly secrets?: AdmissionSecrets;
}

export interface Login {
  readonly query: string;
  readonly sealedLogin: string;
  readonly statePrefix: string;
}

export type Sessions = ReturnType<typeof sessionsOf>;

export function sessionsOf({
  clock = systemClock(),
  database,
  identities,
  providers,
  secrets = new Map([["one", createSecretKey(randomBytes(32))]]),
}: Options) {
  const lines: LogLine[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
  const limits = { sessionIdleMinutes: 60, sessionLifetimeMinutes: 480 };
  const random = randomBytes;
  const { logins } = createMetrics(createRegistry("keys"));
  const refusedLogins = new RefusedLogins({ clock, database, log, logins });
  const around = { clock, database, identities, logins, providers, random, refusedLogins };
  const deps = { ...around, secrets, ...limits };
  const [begin, finish] = [beginLogin(deps), finishLogin(deps)];
  const [get, end, endOfProvider] = [getSession(deps), endSession(deps), endProviderSessions(deps)];
  return {
    lines,
    logins,
    refusedLogins,
    secrets,
    begin: async (provider = "okta", returnTo = "#/") =>
      begin({ provider, returnTo } as never, CONTEXT),
    /** The provider sends the browser of a login back. */
    arrive: async (server: IdentityProviderServer, provider = "okta"): Promise<Login> => {
      const begun = await begin({ provider, returnTo: "#/acct_1/events" } as never, CONTEXT);
      const { redirectUrl = "", sealedLogin = "", statePrefix = "" } = begun;
      return { query: await server.logIn(redirectUrl), sealedLogin, statePrefix };
    },
    finish: async (
      { query, sealedLogin }: Pick<Login, "query" | "sealedLogin">,
      provider = "okta",
    ): Promise<Partial<FinishLoginResponse>> =>
      finish({ provider, query, sealedLogin } as never, CONTEXT),
    get: async (cookie: string) => (await get({ cookie } as never, CONTEXT)).session,
    end: async (cookie: string) => end({ cookie } as never, CONTEXT),
    endOfProvider: async (logoutToken: string, provider = "okta") =>
      endOfProvider({ provider, logoutToken } as never, CONTEXT),
    /** What making an access token does with the session. */
    use: async (cookie: string) => {
      const session = await findSession(deps, "dashboard", cookie);
      if (!session) return undefined;
      return database.transaction(async (transaction) => {
        const next = await useSession(transaction, session, { idleMinutes: 60, random });
        return next === null ? undefined : { id: session.id, cookie: next?.text };
      });
    },
  };
}
