// DeleteRoleMapping: takes back what a role mapping gives. No admission that begins when this has returned
// finds it.

import { type Clock, isIdOf } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { roleMappingChange } from "../rules/audit-entries.ts";
import { deleteRoleMapping as deleteRoleMappingStatement } from "../store/delete-role-mapping.ts";

interface Deps {
  readonly clock: Pick<Clock, "nowText">;
  readonly database: Pool;
}

export function deleteRoleMapping({
  clock,
  database,
}: Deps): ServiceImpl<typeof KeysService>["deleteRoleMapping"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    if (!isIdOf("rmap", id)) throw notFound("role mapping", id);
    await database.forAccount(accountId).transaction(async (transaction) => {
      const [row] = await transaction.run(deleteRoleMappingStatement, [accountId, id]);
      if (!row) throw notFound("role mapping", id);
      const by = { actor: actorOf(context), occurredAt: clock.nowText() };
      const { group_name: group } = row;
      await AUDIT.add(transaction, roleMappingChange("deleted", accountId, { ...row, group }, by));
    });
    return {};
  };
}
