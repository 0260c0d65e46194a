// DeleteWorkload: trusts a workload no longer. Its tokens have no leases, so no admission that begins when
// this has returned finds one.

import { type Clock, isIdOf } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { workloadChange } from "../rules/audit-entries.ts";
import { deleteWorkload as deleteWorkloadStatement } from "../store/delete-workload.ts";

interface Deps {
  readonly clock: Pick<Clock, "nowText">;
  readonly database: Pool;
}

export function deleteWorkload({
  clock,
  database,
}: Deps): ServiceImpl<typeof KeysService>["deleteWorkload"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    if (!isIdOf("wkl", id)) throw notFound("workload", id);
    await database.forAccount(accountId).transaction(async (transaction) => {
      const [row] = await transaction.run(deleteWorkloadStatement, [accountId, id]);
      if (!row) throw notFound("workload", id);
      const by = { actor: actorOf(context), occurredAt: clock.nowText() };
      const shown = { ...row, allowedIps: row.allowed_ips };
      await AUDIT.add(transaction, workloadChange("deleted", accountId, shown, by));
    });
    return {};
  };
}
