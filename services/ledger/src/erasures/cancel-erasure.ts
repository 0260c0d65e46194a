// Withdraws a request to erase whose delay is not over. Of its selector only a salted digest stays. Called by
// rpc/cancel-erasure.ts for an account, and by commands/ for the operator. Called again it changes nothing.

import type { Clock } from "@annals/contract";
import { invalid, notFound } from "@annals/errors";
import type { AuditActor, Database, Pool } from "@annals/postgres";
import { selectorDigest } from "./rules/erasure.ts";
import { erasureId } from "./rules/erasure-id.ts";
import { AUDIT } from "../store/audit.ts";
import { cancelErasure as cancelErasureStatement, getErasure } from "./store/erasures.ts";

interface CancelDeps {
  readonly clock: Clock;
  /** The pool of the account. */
  readonly database: Pool;
  readonly random: (size: number) => Uint8Array;
}

interface Cancellation {
  readonly accountId: string;
  readonly actor: AuditActor;
  readonly id: string;
}

/** Throws `not_found`, and `invalid` for one that has begun. */
export async function cancelErasure(
  { clock, database, random }: CancelDeps,
  { accountId, actor, id }: Cancellation,
): Promise<void> {
  const occurredAt = clock.nowText();
  await database.transaction(async (transaction) => {
    const [row] = await transaction.run(getErasure, [accountId, erasureId(id)]);
    if (!row) throw notFound("erasure", id);
    if (row.status === "cancelled") return;
    const digest = selectorDigest(row.selector ?? "", random);
    const ended = [accountId, id, digest, occurredAt] as const;
    const [cancelled] = await transaction.run(cancelErasureStatement, [...ended]);
    if (!cancelled) return requireCancelled(transaction, accountId, id);
    const target = { type: "erasure", id };
    const action = "annals.erasure.cancelled";
    await AUDIT.add(transaction, { accountId, action, actor, target, occurredAt });
  });
}

/** Another call may have cancelled it since it was read. */
async function requireCancelled(
  transaction: Database,
  accountId: string,
  id: string,
): Promise<void> {
  const [row] = await transaction.run(getErasure, [accountId, id]);
  if (row?.status === "cancelled") return;
  const message = `is ${row?.status}: only a pending erasure can be cancelled`;
  throw invalid({ field: "id", message });
}
