// The events of an account that match a filter according to the filter index, in the order of the search.
// Called by find-numbers.ts. When these events are read, they are compared with the filter again.

import type { Database } from "@annals/postgres";
import { numbersIn, type Segment, SEALED_SIZE } from "./rules/segment.ts";
import { findPlaces, type PlacesRow } from "./store/find-places.ts";
import type { Budget } from "./budget.ts";
import { compared, type Compared } from "./compared.ts";
import type { Search } from "./matches.ts";
import { inOrder, type Range } from "./range.ts";
import type { Terms } from "./terms.ts";

interface IndexSearch extends Terms {
  readonly database: Database;
  readonly search: Search;
  readonly budget: Budget;
  /** Range of sequence numbers. */
  readonly range: Range;
  /** Segments of the index, in the order of the search. */
  readonly segments: readonly Segment[];
}

/** Segments that the first statement reads, and the factor by which each further statement reads more. */
const FIRST_SEGMENTS = 2;
const GROWTH = 4;
/** Bounds of one statement: blocks that it probes, and stored bytes of the places that it reads. */
const MAX_PROBES = 1_024;
const MAX_BYTES = 64 * 1024;
/** Stored bytes that the first statement reads: a segment of which many events match is enough for a page. */
const FIRST_BYTES = 2 * 1024;

/** Hits in the segments that were read. */
interface LookedUp {
  /** Sequence numbers, ascending. */
  readonly found: readonly number[];
  readonly read: readonly Segment[];
  /** Whether some hits may have another value. */
  readonly isAny: boolean;
  /** Whether the next segment is no longer what it was planned to be. */
  readonly isStale: boolean;
}

/**
 * Yields steps, each with the hits of a few segments. If a segment was sealed, or made fresh again, since it
 * was planned, it ends before that, and returns the last number that was searched.
 */
export async function* indexHits(
  within: IndexSearch,
): AsyncGenerator<Compared, number | undefined> {
  const { segments, terms, isAll, search, range } = within;
  const { ascending } = search;
  const probes = terms.reduce((sum, { ranges }) => sum + ranges.length, 0);
  const maxSegments = Math.max(1, Math.floor(MAX_PROBES / probes));
  let size = FIRST_SEGMENTS;
  let reached = ascending ? range.from - 1 : range.to + 1;
  for (let at = 0; at < segments.length;) {
    size = Math.min(size, maxSegments);
    const asked = segments.slice(at, at + size);
    const isFirst = at === 0;
    const { found, isAny, isStale, read } = await lookUp(
      within,
      asked,
      isFirst ? FIRST_BYTES : MAX_BYTES,
    );
    const last = read.at(-1);
    if (last) {
      at += read.length;
      size = isFirst || read.length === asked.length ? size * GROWTH : read.length;
      const hits = found.filter((number) => number >= range.from && number <= range.to);
      const numbers = inOrder(hits, ascending);
      const { from, to } = numbersIn(last);
      reached = ascending ? Math.min(range.to, to) : Math.max(range.from, from);
      if (isAll && !isAny) yield { numbers, reached };
      else yield* compared(within, numbers, reached);
    }
    if (isStale) return reached;
  }
  return undefined;
}

async function lookUp(
  { database, search, budget, terms }: IndexSearch,
  segments: readonly Segment[],
  maxBytes: number,
): Promise<LookedUp> {
  const ranges = terms.flatMap((term) =>
    term.ranges.map((range) => ({ field: term.field, ...range })),
  );
  const rows = await database.run(findPlaces, [
    search.accountId,
    segments.map(({ level }) => level),
    segments.map(({ base }) => base),
    ranges.map(({ field }) => field),
    ranges.map(({ since }) => since),
    ranges.map(({ before }) => before),
    search.ascending ? 1 : -1,
    maxBytes,
  ]);
  const bySegment = Map.groupBy(rows, ({ base }) => Number(base));
  const end = segments.findIndex(({ base }) => {
    const of = bySegment.get(base);
    return of === undefined || of.some((row) => row.is_left);
  });
  const read = end < 0 ? segments : segments.slice(0, end);
  const next = end < 0 ? undefined : segments[end];
  const isStale = next !== undefined && !bySegment.has(next.base);
  const readRows = read.flatMap(({ base }) => bySegment.get(base) ?? []);
  const bytes = readRows.reduce((sum, { places }) => sum + (places?.length ?? 0), 0);
  budget.spendPlaces(segments.length * ranges.length, bytes / 2);
  const found = inOrder(read, search.ascending).flatMap((segment) =>
    intersect(segment, bySegment.get(segment.base) ?? [], terms.length),
  );
  return { found, read, isAny: readRows.some((row) => row.is_any), isStale };
}

/** The numbers, ascending and each once, of a segment that are among the places of each of the fields. */
function intersect(segment: Segment, rows: readonly PlacesRow[], fields: number): number[] {
  const numbers: number[] = [];
  if (rows.length < fields || rows.some(({ places }) => places === null)) return numbers;
  const { from, to } = numbersIn(segment);
  const first = (from - 1) % SEALED_SIZE;
  // How many fields have each place. A wrong block may have a place twice.
  const counts = new Uint8Array(to - from + 1);
  for (const [count, { places }] of rows.entries())
    for (let at = 0; places && at + 1 < places.length; at += 2) {
      const place = places.readUInt16BE(at) - first;
      if (counts[place] === count) counts[place] = count + 1;
    }
  // An iterator takes 18 times as long, 2.6 ms for a sealed segment.
  for (let place = 0; place < counts.length; place += 1)
    if (counts[place] === fields) numbers.push(from + place);
  return numbers;
}
