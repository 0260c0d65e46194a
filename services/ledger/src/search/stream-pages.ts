// Reads all events that match a filter in ascending order, page by page in constant memory. Called by
// stream-events.ts, and by erasures and verifications that look for records. It has no budget: each
// statement is bounded, and waits for its own turn. It must never skip an event: it rejects if retention
// deletes one of the range meanwhile.

import type { Database } from "@annals/postgres";
import { isPlain } from "./rules/event-filter.ts";
import type { RecordRow } from "../store/stream-events.ts";
import { streamEvents } from "../store/stream-events.ts";
import { Budget } from "./budget.ts";
import { findNumbers } from "./find-numbers.ts";
import { lostEvents } from "./lost-events.ts";
import type { Search } from "./matches.ts";
import { deletedThrough, readNumbers, readRangeOf } from "./read-events.ts";

/** Limits of one page. Larger pages cost their reader more than they save (docs/performance.md). */
const LIMITS = { rows: 200, bytes: 1024 * 1024 };

export interface StreamPage {
  /** Empty in a page that only says how far the search is. */
  readonly rows: readonly RecordRow[];
  /** Every match up to and including this number was in this page or in an earlier one. */
  readonly reached: number;
}

type Selection = Omit<Search, "ascending">;

export function streamPages(database: Database, selection: Selection): AsyncGenerator<StreamPage> {
  const search = { ...selection, ascending: true };
  return isPlain(search.filter) ? all(database, search) : matching(database, search);
}

async function* all(database: Database, search: Search): AsyncGenerator<StreamPage> {
  const { accountId } = search;
  let { filter } = search;
  for (;;) {
    const one = { ...search, filter };
    const { rows, isCut } = await readRangeOf(database, one, streamEvents, LIMITS);
    const last = rows.at(-1);
    if (!last) return requireKept(database, accountId, filter.afterSequence);
    if (BigInt(rows[0]?.sequence_number ?? 0) !== (filter.afterSequence ?? 0n) + 1n)
      throw lostEvents(accountId);
    yield { rows, reached: Number(last.sequence_number) };
    if (!isCut && rows.length < LIMITS.rows) return;
    filter = { ...filter, afterSequence: BigInt(last.sequence_number) };
  }
}

async function* matching(database: Database, search: Search): AsyncGenerator<StreamPage> {
  const { accountId, filter } = search;
  let before = filter.afterSequence;
  for await (const step of findNumbers(database, search, new Budget(Infinity))) {
    for (let left = step.numbers; left.length > 0;) {
      const asked = { numbers: left.slice(0, LIMITS.rows), bytes: LIMITS.bytes };
      const { rows, isCut } = await readNumbers(database, search, streamEvents, asked);
      const last = isCut ? Number(rows.at(-1)?.sequence_number) : (asked.numbers.at(-1) ?? 0);
      await requireKept(database, accountId, before);
      if (rows.length > 0) yield { rows, reached: last };
      left = left.slice(left.indexOf(last) + 1);
    }
    await requireKept(database, accountId, before);
    yield { rows: [], reached: step.reached };
    before = BigInt(step.reached);
  }
}

/** Rejects if an event after a number was deleted: what was read behind it may lack events. */
async function requireKept(database: Database, accountId: string, after = 0n): Promise<void> {
  if ((await deletedThrough(database, accountId)) > Number(after)) throw lostEvents(accountId);
}
