// Places a hold: a record and the row that erasure and retention read, in one transaction. So which events
// are held is decided in one order with appends, erasures and other holds. Called by rpc/ for an account,
// and by commands/ for the operator. The actor whose events are held is in the row alone, never in the
// record.

import { newId } from "@annals/contract";
import { internal } from "@annals/errors";
import {
  type AskedOnce,
  type Database,
  earlierResponse,
  keepResponse,
  type KeptRequests,
  type Pool,
} from "@annals/postgres";
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
  /** Given if a retry of the request is to get the hold of the first one. */
  readonly once?: { readonly asked: AskedOnce; readonly kept: KeptRequests };
}

export interface PlacedHold extends HoldRow {
  /** Whether an earlier request with the same idempotency key has placed it. */
  readonly replayed: boolean;
}

/** Throws `invalid` and `plan_count_exceeded`. */
export async function placeHold(deps: HoldDeps, request: HoldRequest): Promise<PlacedHold> {
  const { accountId, actor, owner } = request;
  checkRange(request);
  const id = newId("hold", deps.random);
  const [from, to] = [String(request.fromSequence), request.toSequence?.toString() ?? null];
  const actorId = request.actorId ?? null;
  /** Of an earlier request; undefined if there is none, and there is room for a new one. */
  const earlierIn = async (database: Database) => {
    const earlier = await earlierHold(database, request);
    if (earlier) return earlier;
    const [count] = await database.run(countHolds, [accountId, owner]);
    requireRoom(count ?? { active: 0, placed: 0 });
    return undefined;
  };
  // A refusal under the lock would cost the account its cached head.
  let earlier = await earlierIn(deps.database.forAccount(accountId));
  if (earlier) return earlier;
  const placed = await deps.appends.record(accountId, async (transaction) => {
    earlier = await earlierIn(transaction);
    if (earlier) return undefined;
    return {
      record: holdRecord(actor, {
        id,
        state: "placed",
        fromSequence: Number(from),
        toSequence: to === null ? undefined : Number(to),
        isOfOneActor: actorId !== null,
      }),
      act: async (record) => {
        const placedBy = String(record);
        await transaction.run(createHold, [accountId, id, from, to, actorId, owner, placedBy]);
        const range = { from_sequence: from, to_sequence: to, actor_id: actorId };
        const hold = { id, ...range, owner, placed_by: placedBy };
        await keepHold(transaction, request, hold);
        return { ...hold, replayed: false };
      },
    };
  });
  const hold = placed ?? earlier;
  if (hold === undefined) throw internal("a hold has no record");
  return hold;
}

async function earlierHold(
  database: Database,
  { once }: HoldRequest,
): Promise<PlacedHold | undefined> {
  const earlier = once && (await earlierResponse(database, once.kept, once.asked));
  if (!earlier) return undefined;
  const hold = JSON.parse(Buffer.from(earlier).toString()) as HoldRow;
  return { ...hold, replayed: true };
}

async function keepHold(transaction: Database, { once }: HoldRequest, hold: HoldRow) {
  if (once)
    await keepResponse(transaction, once.kept, once.asked, Buffer.from(JSON.stringify(hold)));
}
