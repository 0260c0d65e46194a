// ReadEntries: a bundle of entries of an account's log: the leaf texts of its events, each behind its length
// (docs/evidence.md). A bundle has only digests of what clients sent, besides the action.

import { complete, AnnalsError, internal } from "@annals/errors";
import { leafText } from "@annals/event";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { TILE_WIDTH } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { coveredHead } from "../covered-head.ts";
import { entryBundle } from "../entry-bundle.ts";
import { checkWidth, countOf } from "../tile-request.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { retainedAfter } from "../../search/read-events.ts";
import { type EntryRow, listEntries } from "../store/list-entries.ts";

interface Deps {
  readonly searches: SearchTurns;
}

export function readEntries({ searches }: Deps): ServiceImpl<typeof LedgerService>["readEntries"] {
  return async ({ accountId, index, width }, { signal }) => {
    complete({ account_id: accountId });
    checkWidth(width);
    const first = countOf("index", index) * TILE_WIDTH + 1;
    const last = first + width - 1;
    const database = searches.of(accountId, "client", signal);
    const head = await coveredHead(database, accountId);
    if (head === undefined || last > head.size)
      throw new AnnalsError("not_found", "The log does not cover these entries.");
    const rows = await database.run(listEntries, [accountId, String(first), String(last)]);
    if (rows.length !== width) throw await lackingError(database, accountId, first);
    return { entries: entryBundle(rows.map((row) => entryOf(accountId, row))) };
  };
}

/** Entries go in whole bundles, some time after the events that end their leaves. */
async function lackingError(
  database: Database,
  accountId: string,
  first: number,
): Promise<AnnalsError> {
  const from = await retainedAfter(database, accountId, BigInt(first));
  if (from === undefined) return internal(`the chain of ${accountId} lacks an event`);
  const message = `Retention has deleted the events before ${from}. Their hashes are in the tiles.`;
  return new AnnalsError("not_found", message);
}

function entryOf(chain: string, row: EntryRow): Buffer {
  return Buffer.from(
    leafText({
      action: row.action,
      chain,
      createdAt: row.created_at,
      digests: row.digests,
      id: row.id,
      occurredAt: row.occurred_at,
      previousHash: row.previous_hash.toString("hex"),
      receivedAt: row.received_at,
      sequenceNumber: Number(row.sequence_number),
    }),
  );
}
