// Deletes a role mapping and records it in the operator's audit. Called by rpc/delete-role-mapping.ts for an
// account, by the admin API and by a command. No admission that begins when it has resolved finds it.

import { type AuditClientType, type Clock, isIdOf } from "@annals/contract";
import { notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { AUDIT } from "../store/audit.ts";
import { roleMappingChange } from "./rules/audit-entries.ts";
import { deleteRoleMapping } from "./store/delete-role-mapping.ts";

interface Deps {
  readonly clock: Pick<Clock, "nowText">;
  readonly database: Pool;
}

interface Actor {
  readonly type: AuditClientType | "operator";
  readonly id?: string | undefined;
}

/** Throws `not_found`. */
export async function removeRoleMapping(
  { clock, database }: Deps,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  actor: Actor,
): Promise<void> {
  if (!isIdOf("rmap", id)) throw notFound("role mapping", id);
  await database.forAccount(accountId).transaction(async (transaction) => {
    const [row] = await transaction.run(deleteRoleMapping, [accountId, id]);
    if (!row) throw notFound("role mapping", id);
    const by = { actor, occurredAt: clock.nowText() };
    const mapping = { ...row, group: row.group_name };
    await AUDIT.add(transaction, roleMappingChange("deleted", accountId, mapping, by));
  });
}
