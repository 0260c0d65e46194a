// Audit entries of sessions. Called by what begins and ends them. A session belongs to no account. An entry
// never has a name or an e-mail: the id of a person is no one's without the table of people.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { Realm } from "./realm.ts";

/** Why a session has ended before its time. */
type Ending = "logout" | "logout_of_provider" | "replaced_cookie" | "too_many" | "operator";

interface Of {
  readonly sessionId: string;
  readonly personId: string;
  readonly occurredAt: string;
}

export function sessionStarted(
  { occurredAt, personId, sessionId }: Of,
  { provider, realm }: { readonly provider: string; readonly realm: Realm },
) {
  return {
    accountId: SYSTEM_ACCOUNT_ID,
    action: "annals.session.started",
    actor: { type: "person", id: personId },
    target: { type: "session", id: sessionId },
    // Of the console: one of the dashboard has no word for it.
    metadata: { provider, ...(realm === "operator" && { realm }) },
    occurredAt,
  } as const;
}

/** `operatorId` is the person who ended it in the console. */
export function sessionEnded(
  { occurredAt, personId, sessionId }: Of,
  ending: Ending,
  operatorId?: string,
) {
  return {
    accountId: SYSTEM_ACCOUNT_ID,
    action: "annals.session.ended",
    actor: actorOf(ending, personId, operatorId),
    target: { type: "session", id: sessionId },
    metadata: { ending, person: personId },
    occurredAt,
  } as const;
}

function actorOf(ending: Ending, personId: string, operatorId: string | undefined) {
  if (ending === "operator") return { type: "operator", id: operatorId } as const;
  return ending === "logout"
    ? ({ type: "person", id: personId } as const)
    : ({ type: "service", id: "keys" } as const);
}
