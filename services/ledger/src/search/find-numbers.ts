// Finds the sequence numbers of the events of an account that match a filter, step by step in the order of
// the chain. Called by read-page.ts, stream-pages.ts and list-widget-filters.ts, which read these events,
// and by find-selected.ts. The filter index says where to look, as far as it reaches. Later events are read
// one by one, without their parts. What is found must not depend on how far the index is, and no statement
// may read more rows than a bound.

import type { Database } from "@annals/postgres";
import { CHUNK_SIZE } from "./rules/chunk.ts";
import { hasText, isPlain } from "./rules/event-filter.ts";
import { type Found as Indexed, numbersIn, segmentsOf } from "./rules/segment.ts";
import { findSegments } from "../store/find-segments.ts";
import { getSearchEnds } from "../store/get-search-ends.ts";
import { type FieldRow, listSearchFields } from "../store/list-search-fields.ts";
import type { Budget } from "./budget.ts";
import { indexHits } from "./index-hits.ts";
import { inPartsOf, isOf, OUTCOME } from "./rules/in-parts.ts";
import { compared } from "./compared.ts";
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

/** Numbers whose segments one statement finds: at most a thousand segments. */
const WINDOW = 1_024 * CHUNK_SIZE;
/** Cost of a segment in rows of the budget: their rows are small. */
const SEGMENT_COST = 0.25;

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
  const indexEnd = isPlain(filter) ? 0 : Number(ends?.indexed ?? 0);
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
async function* scan(part: Part): AsyncGenerator<Found> {
  const { database, search, budget, range } = part;
  const { ascending } = search;
  const plain = isPlain(search.filter);
  const isInParts = inPartsOf(search.filter).length > 0 || hasText(search.filter);
  for (const window of inWindows(range, ascending, ROWS)) {
    const reached = ascending ? window.to : window.from;
    if (isInParts) {
      yield* compared(part, inOrder(numbersOf(window), ascending), reached);
      continue;
    }
    const numbers = plain ? numbersOf(window) : await matchesInRange(database, search, window);
    if (!plain) budget.spend(window.to - window.from + 1);
    yield { numbers: inOrder(numbers, ascending), reached };
  }
}

async function* searchIndexed(part: Part): AsyncGenerator<Found> {
  const { ascending, filter } = part.search;
  let { range } = part;
  while (!isEmpty(range)) {
    const [planned = range] = inWindows(range, ascending, { first: WINDOW, most: WINDOW });
    const all = await candidates(part, planned);
    const { declared, window } = await declaredIn(part, planned);
    const found = within(all, window);
    const { terms, isAll } = termsOf(filter, declared);
    const end = ascending ? window.to : window.from;
    let early: number | undefined;
    if (terms.length > 0) {
      const segments = inOrder(segmentsOf(found), ascending);
      early = yield* indexHits({ ...part, range: window, segments, terms, isAll });
    } else {
      for (const run of runsOf(inOrder(found.chunks ?? [], ascending), ascending))
        yield* scan({ ...part, range: clip(window, run) });
    }
    if (early === undefined) yield { numbers: [], reached: end };
    // What is no longer as it was planned is planned again.
    const reached = early ?? end;
    range = ascending ? { ...range, from: reached + 1 } : { ...range, to: reached - 1 };
  }
}

/** What the index has of a window: the chunks that may have an event within the times of the filter. */
async function candidates({ database, search, budget }: Part, window: Range): Promise<Indexed> {
  const { accountId, filter } = search;
  const { occurredFrom = null, occurredTo = null, receivedFrom = null, receivedTo = null } = filter;
  const times = [occurredFrom, occurredTo, receivedFrom, receivedTo] as const;
  const [row] = await database.run(findSegments, [accountId, window.from, window.to, ...times]);
  budget.spend(Math.ceil((window.to - window.from + 1) / CHUNK_SIZE) * SEGMENT_COST);
  return row ?? { chunks: null, sealed: null };
}

/**
 * The declared fields that the index has of a window, which is cut where the index of one begins. They are
 * read after its segments: one that is sealed meanwhile, with less of a field, is planned again.
 */
async function declaredIn(
  { database, search, budget }: Part,
  window: Range,
): Promise<{ readonly declared: readonly FieldRow[]; readonly window: Range }> {
  const { accountId, ascending, filter } = search;
  const asked = (filter.fields ?? []).filter((field) => !isOf(field, OUTCOME));
  if (asked.length === 0) return { declared: [], window };
  const rows = await database.run(listSearchFields, [accountId]);
  budget.spend(rows.length);
  const declared = rows.filter((row) => asked.some((field) => isOf(field, row)));
  const ends = declared.map((row) => Number(row.from_base));
  const inside = ends.filter((end) => end >= window.from && end < window.to);
  const cut = ascending
    ? { ...window, to: Math.min(window.to, ...inside) }
    : { ...window, from: Math.max(window.from, ...inside.map((end) => end + 1)) };
  return { declared: declared.filter((_, at) => (ends[at] ?? 0) < cut.from), window: cut };
}

/** What of the segments has a number of the window. */
function within({ chunks, sealed }: Indexed, window: Range): Indexed {
  const kept = (chunks ?? []).filter(
    (base) => !isEmpty(clip(window, numbersIn({ level: 0, base }))),
  );
  return { chunks: kept, sealed };
}

/** Joins the numbers of adjacent chunks, which are given by their bases, into ranges. */
function* runsOf(chunks: readonly number[], ascending: boolean): Generator<Range> {
  let run: Range | undefined;
  for (const { from, to } of chunks.map((base) => numbersIn({ level: 0, base }))) {
    const isNext = run && (ascending ? from === run.to + 1 : to === run.from - 1);
    if (run && !isNext) yield run;
    run = {
      from: run && isNext && ascending ? run.from : from,
      to: run && isNext && !ascending ? run.to : to,
    };
  }
  if (run) yield run;
}
