// Blocks people, and lets them log in again. Called by the operator's commands. A blocked person has no
// session from the commit on.

import { type Clock, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { sessionEnded } from "../sessions/rules/audit-entries.ts";
import { AUDIT } from "../store/audit.ts";
import { endSessionsOf } from "./store/end-sessions-of.ts";
import { setBlocked } from "./store/set-blocked.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

/** Resolves to the number of sessions that ended. Throws `not_found`. */
export function blockPerson({ clock, database }: Deps, id: string): Promise<number> {
  return database.transaction(async (transaction) => {
    const occurredAt = clock.nowText();
    const [blocked] = await transaction.run(setBlocked, [id, occurredAt]);
    if (!blocked) throw noPerson(id, "blocked already");
    const sessions = await transaction.run(endSessionsOf, [id]);
    for (const session of sessions) {
      const of = { sessionId: session.id, personId: id, occurredAt };
      await AUDIT.add(transaction, sessionEnded(of, "operator"));
    }
    await AUDIT.add(transaction, changed("annals.person.blocked", id, occurredAt));
    return sessions.length;
  });
}

/** Throws `not_found`. */
export function unblockPerson({ clock, database }: Deps, id: string): Promise<void> {
  return database.transaction(async (transaction) => {
    const [unblocked] = await transaction.run(setBlocked, [id, null]);
    if (!unblocked) throw noPerson(id, "not blocked");
    await AUDIT.add(transaction, changed("annals.person.unblocked", id, clock.nowText()));
  });
}

function changed<const Action extends string>(action: Action, id: string, occurredAt: string) {
  const target = { type: "person", id };
  return {
    accountId: SYSTEM_ACCOUNT_ID,
    action,
    actor: { type: "operator" },
    target,
    occurredAt,
  } as const;
}

function noPerson(id: string, state: string): AnnalsError {
  const message = `No person has the id ${JSON.stringify(id.slice(0, 80))}, or the person is ${state}.`;
  return new AnnalsError("not_found", message);
}
