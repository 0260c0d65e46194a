// Begins the session of a login, in one transaction with all that the login changes. Called by log-in.ts.

import { type Clock, newId } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { logInPerson } from "../people/log-in-person.ts";
import type { LoggedIn } from "../outbound/provider-login.ts";
import { AUDIT } from "../store/audit.ts";
import { sessionEnded, sessionStarted } from "./rules/audit-entries.ts";
import type { LoginAttempt } from "./rules/login-attempt.ts";
import { LoginFailure } from "./rules/login-failure.ts";
import { sealIdToken } from "./rules/sealed-id-token.ts";
import { newSessionCookie } from "./rules/session-cookie.ts";
import { STATE_KEPT_MINUTES, stateSha256 } from "./rules/spent-token.ts";
import { createSession } from "./store/create-session.ts";
import { deleteSurplusSessions } from "./store/delete-surplus-sessions.ts";
import { spendToken } from "./store/spend-token.ts";

export interface BeginDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly random: (size: number) => Uint8Array;
  readonly sessionIdleMinutes: number;
  readonly sessionLifetimeMinutes: number;
}

/** Sessions of a person: a further one ends the oldest. */
const MAX_SESSIONS = 10;

/** The value of the cookie. Throws {@link LoginFailure}. */
export async function beginSession(
  deps: BeginDeps,
  { provider, realm, state }: LoginAttempt,
  loggedIn: LoggedIn,
): Promise<string> {
  const { clock, database, random } = deps;
  const cookie = newSessionCookie(random);
  const sessionId = newId("ses", random);
  const sealed = sealIdToken(cookie, loggedIn.idToken, random);
  const occurredAt = clock.nowText();
  const personId = await database.transaction(async (transaction) => {
    const [spent] = await transaction.run(spendToken, [stateSha256(state), STATE_KEPT_MINUTES]);
    if (!spent) throw new LoginFailure({ fault: "state" }, "the state was used meanwhile");
    const person = await logInPerson(transaction, deps, { ...loggedIn, provider });
    if (person === undefined) return undefined;
    await transaction.run(createSession, [
      sessionId,
      person,
      realm,
      cookie.secretSha256,
      loggedIn.sid ?? null,
      sealed,
      deps.sessionIdleMinutes,
      deps.sessionLifetimeMinutes,
    ]);
    const surplus = await transaction.run(deleteSurplusSessions, [person, MAX_SESSIONS]);
    for (const { id } of surplus) {
      const ended = { sessionId: id, personId: person, occurredAt };
      await AUDIT.add(transaction, sessionEnded(ended, "too_many"));
    }
    const started = { sessionId, personId: person, occurredAt };
    await AUDIT.add(transaction, sessionStarted(started, { provider, realm }));
    return person;
  });
  // The state of a blocked person stays used.
  if (personId === undefined) throw new LoginFailure({ fault: "blocked" }, "the person is blocked");
  return cookie.text;
}
