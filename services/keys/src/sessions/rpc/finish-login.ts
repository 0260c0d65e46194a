// FinishLogin: checks what a provider sent back with a browser, and begins the session. A second use of a
// state is refused before the provider is asked.

import type { Counter } from "@annals/chassis";
import { Slots } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { type AdmissionSecrets, requestIdOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Providers } from "../../outbound/open-providers.ts";
import { type BeginDeps, beginSession } from "../begin-session.ts";
import type { RefusedLogins } from "../refused-logins.ts";
import { type LoginAttempt, openAttempt } from "../rules/login-attempt.ts";
import { LoginFailure } from "../rules/login-failure.ts";
import { stateSha256 } from "../rules/spent-token.ts";
import { findSpentToken } from "../store/find-spent-token.ts";

interface Deps extends BeginDeps {
  readonly logins: Counter<"outcome">;
  readonly providers: Providers;
  readonly refusedLogins: RefusedLogins;
  readonly secrets: AdmissionSecrets;
}

/** Logins in flight of this process: a provider that hangs leaves half of them to the others. */
const SLOTS = { total: 8, perAccount: 4 };
const SLOT_WAIT_MS = 1_000;

export function finishLogin(deps: Deps): ServiceImpl<typeof KeysService>["finishLogin"] {
  const { database, logins, providers, refusedLogins } = deps;
  const slots = new Slots(SLOTS);
  const states = new Set<string>();
  const late = () =>
    new LoginFailure({ fault: "unreachable" }, "too many logins are in flight at this provider");
  return async ({ provider, query, sealedLogin }, context) => {
    complete({ provider });
    const client = providers.named(provider);
    if (!client) throw notFound("identity provider", provider);
    try {
      const attempt = attemptOf(deps, { provider, query, sealedLogin });
      const { returnTo, state } = attempt;
      // A provider that is given a code twice takes back what it gave for it.
      if (states.has(state)) throw used();
      states.add(state);
      const finish = async (): Promise<string> => {
        const [spent] = await database.run(findSpentToken, [stateSha256(state)]);
        if (spent) throw used();
        return beginSession(deps, attempt, await client.login.finish(attempt, query));
      };
      const running = slots.runWithin(provider, SLOT_WAIT_MS, late, finish);
      const cookie = await running.finally(() => states.delete(state));
      logins.inc({ outcome: "started" });
      return { cookie, returnTo };
    } catch (error) {
      return refusedLogins.answer(error, {
        provider,
        requestId: requestIdOf(context.requestHeader),
      });
    }
  };
}

const used = () => new LoginFailure({ fault: "state" }, "the state was used before");

/** Throws {@link LoginFailure} unless this browser has begun this login here. */
function attemptOf(
  { clock, secrets }: Pick<Deps, "clock" | "secrets">,
  given: { readonly provider: string; readonly query: string; readonly sealedLogin: string },
): LoginAttempt {
  const refuse = (reason: string) => new LoginFailure({ fault: "state" }, reason);
  const attempt = openAttempt(secrets, given.sealedLogin, clock.nowMicros() / 1_000);
  if (!attempt) throw refuse("the browser has no login that began within ten minutes");
  if (attempt.provider !== given.provider) throw refuse("the login began at another provider");
  const states = new URLSearchParams(given.query).getAll("state");
  if (states.length !== 1 || states[0] !== attempt.state)
    throw refuse("the state is not that of the browser");
  return attempt;
}
