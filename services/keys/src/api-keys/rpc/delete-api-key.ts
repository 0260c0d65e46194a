// DeleteApiKey: revokes a key permanently (interface 5). When this returns, the revocation is committed and
// the leases of gateways from before have ended: no request that begins later is admitted.

import { type Clock, isIdOf } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { afterLeases } from "../../admissions/leases.ts";
import { AUDIT } from "../../store/audit.ts";
import { deleteApiKey as deleteApiKeyStatement } from "../../store/delete-api-key.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function deleteApiKey(deps: Deps): ServiceImpl<typeof KeysService>["deleteApiKey"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    if (!isIdOf("key", id)) throw notFound("API key", id);
    const actor = actorOf(context);
    const occurredAt = deps.clock.nowText();
    const revoked = deps.database.forAccount(accountId).transaction(async (transaction) => {
      const params = [accountId, id, occurredAt, actor.id ?? null] as const;
      const [row] = await transaction.run(deleteApiKeyStatement, [...params]);
      if (!row) throw notFound("API key", id);
      const target = { type: "api_key", id };
      const action = "annals.key.revoked";
      await AUDIT.add(transaction, { accountId, action, actor, target, occurredAt });
    });
    await afterLeases(revoked);
    return {};
  };
}
