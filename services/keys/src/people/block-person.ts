// Blocks people, lets them log in again, and ends their sessions. Called by the operator's commands and the
// admin API. A blocked person has no session from the commit on.

import { type Clock, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import { OPERATOR, type OperatorActor } from "../accounts/rules/audit-entries.ts";
import { sessionEnded } from "../sessions/rules/audit-entries.ts";
import { AUDIT } from "../store/audit.ts";
import { endSessionsOf } from "./store/end-sessions-of.ts";
import { setBlocked } from "./store/set-blocked.ts";

interface By {
  readonly actor: OperatorActor;
  readonly occurredAt: string;
}

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

/** Resolves to the number of sessions that ended. Throws `not_found`. */
export function blockPerson(
  { clock, database }: Deps,
  id: string,
  actor: OperatorActor = OPERATOR,
): Promise<number> {
  return database.transaction(async (transaction) => {
    const occurredAt = clock.nowText();
    const [blocked] = await transaction.run(setBlocked, [id, occurredAt]);
    if (!blocked) throw noPerson(id, "blocked already");
    const ended = await endSessions(transaction, { actor, id, occurredAt });
    await AUDIT.add(transaction, changed("annals.person.blocked", id, { actor, occurredAt }));
    return ended;
  });
}

/** Resolves to the number of sessions that ended. The person may log in again. */
export function endSessionsOfPerson(
  { clock, database }: Deps,
  id: string,
  actor: OperatorActor = OPERATOR,
): Promise<number> {
  const occurredAt = clock.nowText();
  return database.transaction((transaction) => endSessions(transaction, { actor, id, occurredAt }));
}

async function endSessions(
  transaction: Database,
  { actor, id, occurredAt }: { readonly id: string } & By,
): Promise<number> {
  const sessions = await transaction.run(endSessionsOf, [id]);
  for (const session of sessions) {
    const of = { sessionId: session.id, personId: id, occurredAt };
    await AUDIT.add(transaction, sessionEnded(of, "operator", actor.id));
  }
  return sessions.length;
}

/** Throws `not_found`. */
export function unblockPerson(
  { clock, database }: Deps,
  id: string,
  actor: OperatorActor = OPERATOR,
): Promise<void> {
  return database.transaction(async (transaction) => {
    const [unblocked] = await transaction.run(setBlocked, [id, null]);
    const occurredAt = clock.nowText();
    if (!unblocked) throw noPerson(id, "not blocked");
    await AUDIT.add(transaction, changed("annals.person.unblocked", id, { actor, occurredAt }));
  });
}

function changed<const Action extends string>(action: Action, id: string, by: By) {
  const target = { type: "person", id };
  return { accountId: SYSTEM_ACCOUNT_ID, action, target, ...by } as const;
}

function noPerson(id: string, state: string): AnnalsError {
  const message = `No person has the id ${JSON.stringify(id.slice(0, 80))}, or the person is ${state}.`;
  return new AnnalsError("not_found", message);
}
