// What has been erased in an account, as the records of its chain say, and the repetition of an erasure that
// a restored database lacks. Called by the commands `erasures list` and `erasures reapply`. It must never
// erase an event of another chain than the one that was erased, nor one that a hold covers.

import { internal } from "@annals/errors";
import { ERASURE, erasedParts, type JsonObject } from "@annals/event";
import type { Database, Pool } from "@annals/postgres";
import type { AppendQueue } from "../append/append-queue.ts";
import { type DoneErasure, erasureIn, erasureLine } from "./rules/done-erasure.ts";
import { headFault } from "../verify/rules/kept-heads.ts";
import { erasureRecord } from "../append/rules/record-events.ts";
import { streamPages } from "../search/stream-pages.ts";
import { erase, listErasable } from "./store/erase.ts";
import { getHash } from "../store/get-hash.ts";

/** Yields a line for each record after `recordsFrom`, in their order. */
export async function* doneErasures(
  database: Database,
  { accountId, recordsFrom }: { readonly accountId: string; readonly recordsFrom: string },
): AsyncGenerator<string> {
  const filter = { actions: [ERASURE], afterSequence: BigInt(recordsFrom) };
  for await (const { rows } of streamPages(database, { accountId, filter })) {
    for (const { metadata, sequence_number: record } of rows) {
      const said: JsonObject = JSON.parse(metadata);
      const last = erasureIn(said)?.numbers.at(-1);
      if (last === undefined) continue;
      const [found] = await database.run(getHash, [accountId, String(last)]);
      if (!found?.hash)
        throw internal(`the chain of ${accountId} lacks event ${last}: verify the chain`);
      yield erasureLine({ accountId, hash: found.hash, record: Number(record) }, said);
    }
  }
}

interface Reapplied {
  /** Events that the new record has erased. */
  readonly erased: number;
  /** Why not all of them are: a sentence, for each hold. */
  readonly faults: readonly string[];
}

/** Records and erases again what is not erased. Called again it changes nothing. */
export async function reapplyErasure(
  { appends, database }: { readonly appends: Pick<AppendQueue, "record">; readonly database: Pool },
  { accountId, erasure, hash, numbers, parts, record, reference }: DoneErasure,
): Promise<Reapplied> {
  const of = `record ${record} of ${accountId}`;
  const last = String(numbers.at(-1));
  const [found] = await database.run(getHash, [accountId, last]);
  const fault = headFault({ accountId, sequenceNumber: last, hash }, found);
  if (fault !== undefined) return { erased: 0, faults: [`${of}: ${fault}`] };
  let faults: readonly string[] = [];
  const erased = await appends.record(accountId, async (transaction) => {
    const rows = await transaction.run(listErasable, [accountId, numbers, parts, null, null]);
    const holds = Map.groupBy(rows, ({ hold }) => hold);
    const free = holds.get(null) ?? [];
    holds.delete(null);
    faults = [...holds].map(
      ([hold, held]) => `${of}: the hold ${hold} covers ${held.length} of its events`,
    );
    if (free.length === 0) return undefined;
    const sequenceNumbers = free.map((row) => Number(row.sequence_number));
    const said = { id: erasure, parts: erasedParts(parts), sequenceNumbers, reference };
    return {
      record: erasureRecord({ type: "operator" }, said),
      act: async (number) => {
        const [row] = await transaction.run(erase, [accountId, String(number)]);
        return Number(row?.erased ?? 0);
      },
    };
  });
  return { erased: erased ?? 0, faults };
}
