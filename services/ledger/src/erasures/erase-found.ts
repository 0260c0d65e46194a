// Records and erases a batch of events that a request to erase has found, in one transaction. Called by
// worker/erasures.ts for stored events, and by report-matches.ts for those that archives have. It
// must never erase an event that a hold covers, or without a record.

import { erasedParts } from "@annals/event";
import type { Database } from "@annals/postgres";
import { erasureRecord, type RecordActor } from "../append/rules/record-events.ts";
import { type ErasableRow, erase } from "./store/erase.ts";
import type { Decision } from "../append/append-record.ts";

/** Maximum events of a batch: the function ledger.erase takes no more. */
export const BATCH = 250;

/** The request. */
export interface Erasing {
  readonly accountId: string;
  readonly id: string;
  /** The bits of the parts. */
  readonly parts: number;
  readonly reference: string | undefined;
  readonly actor: RecordActor;
}

/** What a batch has done. */
export interface Done {
  /** Stored events that it has changed. */
  readonly erased: string;
  readonly held: number;
  /** The number of its record; 0 without one. */
  readonly record: string;
}

export const NOTHING: Done = { erased: "0", held: 0, record: "0" };

/**
 * Call it under the lock of the head: no hold is placed, and no other batch erases, meanwhile. `found` is
 * ascending. `advance` stores how far the request is, in the same transaction.
 */
export async function eraseFound(
  transaction: Database,
  { accountId, actor, id, parts, reference }: Erasing,
  found: readonly ErasableRow[],
  advance: (done: Done) => Promise<void>,
): Promise<Decision<void> | undefined> {
  const free = found.filter(({ hold }) => hold === null);
  const held = found.length - free.length;
  if (free.length === 0) {
    await advance({ ...NOTHING, held });
    return undefined;
  }
  const record = erasureRecord(actor, {
    id,
    parts: erasedParts(parts),
    sequenceNumbers: free.map((row) => Number(row.sequence_number)),
    reference,
  });
  const act = async (number: number): Promise<void> => {
    const [row] = await transaction.run(erase, [accountId, String(number)]);
    await advance({ erased: row?.erased ?? "0", held, record: String(number) });
  };
  return { record, act };
}
