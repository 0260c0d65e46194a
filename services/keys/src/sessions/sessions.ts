// The sessions of people: which one a cookie is of, its use, and its end. Called by the handlers of sessions
// and access tokens, and by the admin API. A cookie that was replaced is valid for a minute more, for the
// requests on their way; whoever uses it later may have stolen it, and ends the session.

import type { Clock } from "@annals/contract";
import type { Database, Pool } from "@annals/postgres";
import type { AcceptedProviders } from "../identity/accepted-entries.ts";
import { AUDIT } from "../store/audit.ts";
import { sessionEnded } from "./rules/audit-entries.ts";
import type { Realm } from "./rules/realm.ts";
import { newSessionCookie, readSessionCookie, type SessionCookie } from "./rules/session-cookie.ts";
import { deleteSession } from "./store/delete-session.ts";
import { findSession as findSessionStatement, type SessionRow } from "./store/find-session.ts";
import { replaceSessionSecret } from "./store/replace-session-secret.ts";
import { useSession as useSessionStatement } from "./store/use-session.ts";

/** How long a cookie that was replaced stays valid, and the age at which one is replaced. */
const REPLACED_VALID_S = 60;
const REPLACED_AFTER_S = 3_600;

interface Deps {
  readonly clock: Pick<Clock, "nowText">;
  readonly database: Pool;
  readonly identities: AcceptedProviders;
}

export interface Session extends SessionRow {
  readonly cookie: SessionCookie;
}

/**
 * Undefined if the value of the cookie is none of a live session of the realm, or its provider has left the
 * file.
 */
export async function findSession(
  deps: Deps,
  realm: Realm,
  value: string,
): Promise<Session | undefined> {
  const cookie = readSessionCookie(value);
  if (!cookie) return undefined;
  const [row] = await deps.database.run(findSessionStatement, [cookie.secretSha256, realm]);
  if (!row || !isAccepted(deps.identities, row)) return undefined;
  if (row.is_current || row.rotated_s <= REPLACED_VALID_S) return { ...row, cookie };
  await endSession(deps, row.id, "replaced_cookie");
  return undefined;
}

function isAccepted({ current }: AcceptedProviders, { issuer, provider }: SessionRow): boolean {
  return current.people.some((each) => each.name === provider && each.issuer === issuer);
}

/**
 * Ends a session with all that it has made, and records it; one that has ended is left alone. Resolves to its
 * sealed ID token.
 */
export async function endSession(
  { clock, database }: Pick<Deps, "clock" | "database">,
  id: string,
  ending: Parameters<typeof sessionEnded>[1],
): Promise<Uint8Array | null> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.run(deleteSession, [id]);
    if (!row) return null;
    const of = { sessionId: id, personId: row.person_id, occurredAt: clock.nowText() };
    await AUDIT.add(transaction, sessionEnded(of, ending));
    return row.sealed_id_token;
  });
}

/**
 * Puts off the end of the session, and replaces a cookie that is old. The new cookie, or undefined if it
 * stays; null if the session has ended.
 */
export async function useSession(
  transaction: Database,
  { cookie, id, is_current: isCurrent, rotated_s: age }: Session,
  { idleMinutes, random }: { idleMinutes: number; random: (size: number) => Uint8Array },
): Promise<SessionCookie | undefined | null> {
  const [used] = await transaction.run(useSessionStatement, [id, idleMinutes]);
  if (!used) return null;
  if (!isCurrent || age < REPLACED_AFTER_S) return undefined;
  const next = newSessionCookie(random, cookie.sealing);
  const params = [id, cookie.secretSha256, next.secretSha256] as const;
  const [replaced] = await transaction.run(replaceSessionSecret, [...params]);
  return replaced && next;
}
