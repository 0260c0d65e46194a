// Trusts a workload no longer, and records it in the operator's audit. Called by rpc/delete-workload.ts for
// an account, by the admin API and by a command. Its tokens have no leases, so no admission that begins when
// this has resolved finds one.

import { type AuditClientType, type Clock, isIdOf } from "@annals/contract";
import { notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { AUDIT } from "../store/audit.ts";
import { workloadChange } from "./rules/audit-entries.ts";
import { deleteWorkload } from "./store/delete-workload.ts";

interface Deps {
  readonly clock: Pick<Clock, "nowText">;
  readonly database: Pool;
}

interface Actor {
  readonly type: AuditClientType | "operator";
  readonly id?: string | undefined;
}

/** Throws `not_found`. */
export async function removeWorkload(
  { clock, database }: Deps,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  actor: Actor,
): Promise<void> {
  if (!isIdOf("wkl", id)) throw notFound("workload", id);
  await database.forAccount(accountId).transaction(async (transaction) => {
    const [row] = await transaction.run(deleteWorkload, [accountId, id]);
    if (!row) throw notFound("workload", id);
    const by = { actor, occurredAt: clock.nowText() };
    const shown = { ...row, allowedIps: row.allowed_ips };
    await AUDIT.add(transaction, workloadChange("deleted", accountId, shown, by));
  });
}
