// Places a hold: a record and the row that erasure and retention read, in one transaction. So which events
// are held is decided in one order with appends, erasures and other holds. Called by rpc/ for an account,
// and by commands/ for the operator. The actor whose events are held is in the row alone, never in the
// record.

import { newId } from "@annals/contract";
import { internal } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import { checkRange, type HeldRange, requireRoom } from "./rules/new-hold.ts";
import { holdRecord, type RecordActor } from "../append/rules/record-events.ts";
import { countHolds, createHold, type HoldOwner, type HoldRow } from "../store/holds.ts";
import type { AppendQueue } from "../append/append-queue.ts";

export interface HoldDeps {
  readonly appends: Pick<AppendQueue, "record">;
  readonly database: Pool;
  readonly random: (size: number) => Uint8Array;
}

export interface HoldRequest extends HeldRange {
  readonly accountId: string;
  readonly actor: RecordActor;
  readonly owner: HoldOwner;
}

/** Throws `invalid` and `plan_count_exceeded`. */
export async function placeHold(deps: HoldDeps, request: HoldRequest): Promise<HoldRow> {
  const { accountId, actor, owner } = request;
  checkRange(request);
  const id = newId("hold", deps.random);
  const [from, to] = [String(request.fromSequence), request.toSequence?.toString() ?? null];
  const actorId = request.actorId ?? null;
  const requireRoomIn = async (database: Database) => {
    const [count] = await database.run(countHolds, [accountId, owner]);
    requireRoom(count ?? { active: 0, placed: 0 });
  };
  // A refusal under the lock would cost the account its cached head.
  await requireRoomIn(deps.database.forAccount(accountId));
  const placedBy = await deps.appends.record(accountId, async (transaction) => {
    await requireRoomIn(transaction);
    return {
      record: holdRecord(actor, {
        id,
        state: "placed",
        fromSequence: Number(from),
        toSequence: to === null ? undefined : Number(to),
        isOfOneActor: actorId !== null,
      }),
      act: async (record) => {
        const row = [accountId, id, from, to, actorId, owner, String(record)] as const;
        await transaction.run(createHold, [...row]);
        return String(record);
      },
    };
  });
  if (placedBy === undefined) throw internal("a hold has no record");
  return {
    id,
    from_sequence: from,
    to_sequence: to,
    actor_id: actorId,
    owner,
    placed_by: placedBy,
  };
}
