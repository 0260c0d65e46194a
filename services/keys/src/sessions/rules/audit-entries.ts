// Audit entries of sessions. Called by what begins and ends them. A session belongs to no account. An entry
// never has a name or an e-mail: the id of a person is no one's without the table of people.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";

/** Why a session has ended before its time. */
type Ending = "logout" | "logout_of_provider" | "replaced_cookie" | "too_many" | "operator";

interface Of {
  readonly sessionId: string;
  readonly personId: string;
  readonly occurredAt: string;
}

export function sessionStarted({ occurredAt, personId, sessionId }: Of, provider: string) {
  return {
    accountId: SYSTEM_ACCOUNT_ID,
    action: "annals.session.started",
    actor: { type: "person", id: personId },
    target: { type: "session", id: sessionId },
    metadata: { provider },
    occurredAt,
  } as const;
}

export function sessionEnded({ occurredAt, personId, sessionId }: Of, ending: Ending) {
  return {
    accountId: SYSTEM_ACCOUNT_ID,
    action: "annals.session.ended",
    actor: actorOf(ending, personId),
    target: { type: "session", id: sessionId },
    metadata: { ending, person: personId },
    occurredAt,
  } as const;
}

function actorOf(ending: Ending, personId: string) {
  if (ending === "operator") return { type: "operator" } as const;
  return ending === "logout"
    ? ({ type: "person", id: personId } as const)
    : ({ type: "service", id: "keys" } as const);
}
