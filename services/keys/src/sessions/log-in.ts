// Logins of both realms: where a browser goes to log in, and the session with which it comes back. Called by
// the RPCs of the dashboard's logins and by the operator's console. A second use of a state is refused before
// the provider is asked.

import type { Counter } from "@annals/chassis";
import { type Clock, Slots } from "@annals/contract";
import { notFound } from "@annals/errors";
import type { AdmissionSecrets } from "@annals/rpc";
import type { Providers } from "../outbound/open-providers.ts";
import type { LoggedIn } from "../outbound/provider-login.ts";
import { type BeginDeps, beginSession } from "./begin-session.ts";
import type { RefusedLogins } from "./refused-logins.ts";
import {
  type LoginAttempt,
  newAttempt,
  openAttempt,
  sealAttempt,
  STATE_PREFIX_LENGTH,
} from "./rules/login-attempt.ts";
import { LoginFailure } from "./rules/login-failure.ts";
import type { Realm } from "./rules/realm.ts";
import { stateSha256 } from "./rules/spent-token.ts";
import { findSpentToken } from "./store/find-spent-token.ts";

interface Common {
  readonly clock: Clock;
  readonly providers: Providers;
  readonly random: (size: number) => Uint8Array;
  readonly refusedLogins: RefusedLogins;
  readonly secrets: AdmissionSecrets;
}

export interface FinishDeps extends BeginDeps, Common {
  readonly clock: Clock;
  readonly logins: Counter<"outcome">;
  /** Whether the person may have a session of the realm; anyone by default. */
  readonly mayBegin?: (person: LoggedIn & { readonly provider: string }) => boolean;
}

interface Asked {
  readonly provider: string;
  readonly requestId: string | undefined;
}

type Refused = ReturnType<RefusedLogins["answer"]>;

interface Begun {
  readonly redirectUrl: string;
  readonly sealedLogin: string;
  readonly statePrefix: string;
}

interface Finished {
  readonly cookie: string;
  readonly returnTo: string;
}

/** Logins in flight of this process: a provider that hangs leaves half of them to the others. */
const SLOTS = { total: 8, perAccount: 4 };
const SLOT_WAIT_MS = 1_000;

/** Stores nothing. Throws `not_found` for an unknown provider. */
export async function beginLoginOf(
  realm: Realm,
  { clock, providers, random, refusedLogins, secrets }: Common,
  { provider, requestId, returnTo }: Asked & { readonly returnTo: string },
): Promise<Begun | Refused> {
  const client = providers.named(provider);
  if (!client) throw notFound("identity provider", provider);
  const nowMs = clock.nowMicros() / 1_000;
  const attempt = newAttempt(provider, returnTo, { nowMs, random, realm });
  try {
    const redirectUrl = await client.login.authorizationUrl(attempt);
    const sealedLogin = sealAttempt(secrets, attempt, random);
    return { redirectUrl, sealedLogin, statePrefix: attempt.state.slice(0, STATE_PREFIX_LENGTH) };
  } catch (error) {
    return refusedLogins.answer(error, { provider, requestId });
  }
}

type FinishAsked = Asked & { readonly query: string; readonly sealedLogin: string };

/** Throws `not_found` for an unknown provider. */
export function loginFinisher(
  realm: Realm,
  deps: FinishDeps,
): (asked: FinishAsked) => Promise<Finished | Refused> {
  const { database, logins, mayBegin = () => true, providers, refusedLogins } = deps;
  const slots = new Slots(SLOTS);
  const states = new Set<string>();
  const late = () =>
    new LoginFailure({ fault: "unreachable" }, "too many logins are in flight at this provider");
  return async (asked) => {
    const { provider, query, requestId } = asked;
    const client = providers.named(provider);
    if (!client) throw notFound("identity provider", provider);
    try {
      const attempt = attemptOf(realm, deps, asked);
      const { returnTo, state } = attempt;
      // A provider that is given a code twice takes back what it gave for it.
      if (states.has(state)) throw used();
      states.add(state);
      const finish = async (): Promise<string> => {
        const [spent] = await database.run(findSpentToken, [stateSha256(state)]);
        if (spent) throw used();
        const loggedIn = await client.login.finish(attempt, query);
        if (mayBegin({ ...loggedIn, provider })) return beginSession(deps, attempt, loggedIn);
        throw new LoginFailure({ fault: "blocked" }, "the person is no operator");
      };
      const running = slots.runWithin(provider, SLOT_WAIT_MS, late, finish);
      const cookie = await running.finally(() => states.delete(state));
      logins.inc({ outcome: "started" });
      return { cookie, returnTo };
    } catch (error) {
      return refusedLogins.answer(error, { provider, requestId });
    }
  };
}

const used = () => new LoginFailure({ fault: "state" }, "the state was used before");

/** Throws {@link LoginFailure} unless this browser has begun this login here. */
function attemptOf(
  realm: Realm,
  { clock, secrets }: Pick<FinishDeps, "clock" | "secrets">,
  given: { readonly provider: string; readonly query: string; readonly sealedLogin: string },
): LoginAttempt {
  const refuse = (reason: string) => new LoginFailure({ fault: "state" }, reason);
  const attempt = openAttempt(secrets, given.sealedLogin, clock.nowMicros() / 1_000);
  if (!attempt) throw refuse("the browser has no login that began within ten minutes");
  if (attempt.provider !== given.provider) throw refuse("the login began at another provider");
  if (attempt.realm !== realm) throw refuse("the login began in the other realm");
  const states = new URLSearchParams(given.query).getAll("state");
  if (states.length !== 1 || states[0] !== attempt.state)
    throw refuse("the state is not that of the browser");
  return attempt;
}
