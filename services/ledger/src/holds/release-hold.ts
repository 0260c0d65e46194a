// Releases a hold: a record and the number of it in the hold's row, in one transaction. Erasure and
// retention read the record, and believe no release without it. Called by rpc/ for an account, and by
// commands/ for the operator. A hold of the operator is released only by the operator.

import { isIdOf } from "@annals/contract";
import { internal, invalid, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { holdRecord, type RecordActor } from "../append/rules/record-events.ts";
import { getActiveHold, type HoldOwner, type HoldRow, releaseHold } from "../store/holds.ts";
import type { HoldDeps } from "./place-hold.ts";

interface ReleaseRequest {
  readonly accountId: string;
  readonly id: string;
  readonly actor: RecordActor;
  readonly by: HoldOwner;
}

/** Throws `not_found`, also for a hold that was released, and `invalid` for one of the operator. */
export async function release(
  deps: Pick<HoldDeps, "appends" | "database">,
  { accountId, actor, by, id }: ReleaseRequest,
): Promise<void> {
  const find = async (database: Database): Promise<HoldRow> => {
    const [hold] = isIdOf("hold", id) ? await database.run(getActiveHold, [accountId, id]) : [];
    if (!hold) throw notFound("active hold", id);
    if (hold.owner === "operator" && by !== "operator") throw ofOperator();
    return hold;
  };
  // A refusal under the lock would cost the account its cached head.
  await find(deps.database.forAccount(accountId));
  await deps.appends.record(accountId, async (transaction) => {
    const { actor_id: actorId, from_sequence: from, to_sequence: to } = await find(transaction);
    return {
      record: holdRecord(actor, {
        id,
        state: "released",
        fromSequence: Number(from),
        toSequence: to === null ? undefined : Number(to),
        isOfOneActor: actorId !== null,
      }),
      act: async (record) => {
        const released = await transaction.run(releaseHold, [accountId, id, String(record)]);
        if (released.length === 0) throw internal(`hold ${id} was released without the lock`);
      },
    };
  });
}

function ofOperator() {
  const message = "is a hold of the operator, which no API key can release";
  return invalid({ field: "id", message });
}
