// Finds the sequence numbers of the events of an account that match a filter, step by step in the order of
// the chain. Called by read-page.ts, stream-pages.ts and list-widget-filters.ts, which read these events,
// and by find-selected.ts. The filter index says where to look, as far as it reaches. Later events are read
// one by one, without their parts. What is found must not depend on how far the index is, and no statement
// may read more rows than a bound.

import type { Database } from "@annals/postgres";
import { CHUNK_SIZE, chunkOf } from "./rules/chunk.ts";
import { hasTime, isPlain } from "./rules/event-filter.ts";
import { findChunksByTime } from "./store/find-chunks-by-time.ts";
import { getSearchEnds } from "../store/get-search-ends.ts";
import type { Budget } from "./budget.ts";
import { indexHits } from "./index-hits.ts";
import { matchesInRange, type Search } from "./matches.ts";
import { clip, inOrder, inWindows, isEmpty, numbersOf, type Range } from "./range.ts";
import { termsOf } from "./terms.ts";

export interface Step {
  /** Numbers in the order of the search. */
  readonly numbers: readonly number[];
  /** Every match up to and including this number was in this step or in an earlier one. */
  readonly reached: number;
  /** Whether no step follows. */
  readonly isLast: boolean;
}

type Found = Pick<Step, "numbers" | "reached">;

/** Chunks whose times one statement compares: those of four million events. */
const CHUNKS_BY_TIME = 1_024;
/** Cost of a chunk in rows of the budget: rows of chunks are small. */
const CHUNK_COST = 0.25;

/** Rows that the first statement of a range reads, and each at most: with many matches one is enough. */
const ROWS = { first: 512, most: 4_096 };

/** Yields the steps. They are charged to the budget; the caller decides when it is spent. */
export async function* findNumbers(
  database: Database,
  search: Search,
  budget: Budget,
): AsyncGenerator<Step> {
  const { accountId, ascending, filter } = search;
  const [ends] = await database.run(getSearchEnds, [accountId]);
  budget.spend(0);
  const asked = {
    from: Math.max(Number(filter.afterSequence ?? 0n) + 1, Number(ends?.first ?? 1)),
    to: Math.min(Number(filter.beforeSequence ?? Infinity) - 1, Number(ends?.last ?? 0)),
  };
  const indexEnd = isPlain(filter) ? 0 : Number(ends?.chunks ?? 0) * CHUNK_SIZE;
  const of = (range: Range) => ({ database, search, budget, range });
  const parts = [
    () => searchIndexed(of({ from: asked.from, to: Math.min(asked.to, indexEnd) })),
    () => scan(of({ from: Math.max(asked.from, indexEnd + 1), to: asked.to })),
  ];
  const last = ascending ? asked.to : asked.from;
  for (const part of ascending ? parts : parts.toReversed())
    for await (const found of part()) yield { ...found, isLast: found.reached === last };
}

interface Part {
  readonly database: Database;
  readonly search: Search;
  readonly budget: Budget;
  /** Range of sequence numbers. */
  readonly range: Range;
}

/** Reads every event of a range, unless all of them match. */
async function* scan({ database, search, budget, range }: Part): AsyncGenerator<Found> {
  const { ascending } = search;
  const plain = isPlain(search.filter);
  for (const window of inWindows(range, ascending, ROWS)) {
    const numbers = plain ? numbersOf(window) : await matchesInRange(database, search, window);
    if (!plain) budget.spend(window.to - window.from + 1);
    yield { numbers: inOrder(numbers, ascending), reached: ascending ? window.to : window.from };
  }
}

async function* searchIndexed(part: Part): AsyncGenerator<Found> {
  const { database, search, budget, range } = part;
  if (isEmpty(range)) return;
  const { ascending } = search;
  const terms = await termsOf(database, search, budget);
  // No indexed event has one of the wanted actions.
  if (terms.terms.some(({ values }) => values.length === 0)) return;
  const all = { from: chunkOf(range.from), to: chunkOf(range.to) };
  const sizes = { first: CHUNKS_BY_TIME, most: CHUNKS_BY_TIME };
  for (const window of inWindows(all, ascending, sizes)) {
    const chunks = inOrder(await candidates(part, window), ascending);
    if (terms.terms.length > 0) {
      yield* indexHits({ ...part, chunks, ...terms });
    } else {
      for (const run of runsOf(chunks, ascending))
        yield* scan({ ...part, range: clip(range, numbersIn(run)) });
    }
    const searched = clip(range, numbersIn(window));
    yield { numbers: [], reached: ascending ? searched.to : searched.from };
  }
}

/** The chunks, ascending, that may have an event within the times of the filter. */
async function candidates({ database, search, budget }: Part, window: Range): Promise<number[]> {
  const { accountId, filter } = search;
  if (!hasTime(filter)) return numbersOf(window);
  const { occurredFrom = null, occurredTo = null, receivedFrom = null, receivedTo = null } = filter;
  const times = [occurredFrom, occurredTo, receivedFrom, receivedTo] as const;
  const params = [accountId, window.from, window.to, ...times] as const;
  const [row] = await database.run(findChunksByTime, [...params]);
  budget.spend((window.to - window.from + 1) * CHUNK_COST);
  return [...(row?.chunks ?? [])];
}

/** The sequence numbers of some chunks. */
function numbersIn({ from, to }: Range): Range {
  return { from: from * CHUNK_SIZE + 1, to: (to + 1) * CHUNK_SIZE };
}

/** Joins adjacent chunks into ranges. */
function* runsOf(chunks: readonly number[], ascending: boolean): Generator<Range> {
  let run: Range | undefined;
  for (const chunk of chunks) {
    const isNext = run && chunk === (ascending ? run.to + 1 : run.from - 1);
    if (run && !isNext) yield run;
    run = {
      from: run && isNext && ascending ? run.from : chunk,
      to: run && isNext && !ascending ? run.to : chunk,
    };
  }
  if (run) yield run;
}
