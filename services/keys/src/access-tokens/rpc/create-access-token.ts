// CreateAccessToken: mints an access token of a session for one account and stores its hash. The token leaves
// in this response and nowhere else. Each request by it finds the role again.

import {
  type Clock,
  isRole,
  keyHash,
  mintAccessToken,
  type Role,
  SCOPES_OF_ROLE,
} from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import type { KeyMaker } from "../../api-keys/rules/new-api-key.ts";
import { type AcceptedProviders, entryParams } from "../../identity/accepted-entries.ts";
import { findSession, useSession } from "../../sessions/sessions.ts";
import { isAccountId } from "../rules/account-id.ts";
import { findRole } from "../store/find-role.ts";
import { lockPerson } from "../store/lock-person.ts";
import { putAccessToken } from "../store/put-access-token.ts";

interface Deps extends KeyMaker {
  readonly clock: Clock;
  readonly database: Pool;
  readonly identities: AcceptedProviders;
  readonly sessionIdleMinutes: number;
}

export function createAccessToken(
  deps: Deps,
): ServiceImpl<typeof KeysService>["createAccessToken"] {
  return async ({ accountId, cookie: value }) => {
    const session = await findSession(deps, "dashboard", value);
    if (!session) throw ended();
    if (!isAccountId(accountId)) throw noRole();
    const secret = mintAccessToken(deps.prefix, deps.random);
    const { cookie, expiresAt, role } = await deps.database
      .forAccount(accountId)
      .transaction(async (transaction) => {
        const { id, person_id: personId } = session;
        const [person] = await transaction.run(lockPerson, [personId]);
        const { random, sessionIdleMinutes: idleMinutes } = deps;
        const next = person && (await useSession(transaction, session, { idleMinutes, random }));
        if (!person || next === null) throw ended();
        const found = await roleOf(transaction, deps, { accountId, personId });
        const params = [accountId, personId, id, keyHash(secret)] as const;
        const [token] = await transaction.run(putAccessToken, [...params]);
        if (!token) throw ended();
        return { cookie: next?.text ?? "", expiresAt: token.expires_at, role: found };
      });
    return { secret, expiresAt, scopes: [...SCOPES_OF_ROLE[role]], role, cookie };
  };
}

async function roleOf(
  transaction: Database,
  { identities }: Pick<Deps, "identities">,
  { accountId, personId }: { readonly accountId: string; readonly personId: string },
): Promise<Role> {
  const params = [accountId, personId, ...entryParams(identities.current.people)] as const;
  const [row] = await transaction.run(findRole, [...params]);
  const role = row?.role ?? "";
  if (!isRole(role)) throw noRole();
  return role;
}

const ended = () => new AnnalsError("unauthenticated", "The session has ended. Log in again.");

const noRole = () => new AnnalsError("scope_missing", "You have no role in this account.");
