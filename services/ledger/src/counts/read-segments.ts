// Reads what the filter index has of some segments for a count: the bar of each event, what the filter leaves
// of them, and the values of the counted field. Called by walk.ts. What the index cannot decide it marks as
// UNSURE. It must never decide by what an erasure has queued: the queue is read before the blocks, which lose
// a value only after it left the queue.

import type { Database } from "@annals/postgres";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import type { Range } from "../search/range.ts";
import type { EventFilter } from "../search/rules/event-filter.ts";
import { type IndexedField, OUTCOME } from "../search/rules/in-parts.ts";
import {
  exactly,
  keysFrom,
  numbersIn,
  type KeyRange,
  type Segment,
} from "../search/rules/segment.ts";
import type { FieldRow } from "../store/list-search-fields.ts";
import { type Bars, NONE, writeBars } from "./rules/bars.ts";
import { type Conditions, conditionsOf } from "./conditions.ts";
import type { CountedField } from "./rules/counted-field.ts";
import {
  applyConditions,
  doubtAll,
  doubtValues,
  entriesOf,
  type Entry,
  type Sums,
  sumsOf,
} from "./rules/piece.ts";
import { type BlockRow, findBlocks } from "./store/find-blocks.ts";
import { findRuns, type RunsRow } from "./store/find-runs.ts";
import { listUnindexed } from "./store/list-unindexed.ts";

/** What is counted. */
export interface Count {
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly bars: Bars;
  readonly field: CountedField | undefined;
  /** Values of the field that are wanted; by default all. */
  readonly keys?: KeyRange | undefined;
}

/** What may still be read of the index. */
export interface IndexBudget {
  bytes: number;
  keys: number;
}

export interface SegmentRead {
  readonly segment: Segment;
  readonly bars: Uint16Array;
  readonly entries: readonly Entry[];
  /** In place of bars and entries. */
  readonly sums?: Sums | undefined;
}

export interface Batch {
  /** The first of the segments that were asked for, without those that did not fit. */
  readonly read: readonly SegmentRead[];
  /** Whether the next one is no longer what it was planned to be. */
  readonly isStale: boolean;
}

/** Events of a batch with queued values at most: a batch with more ends before them. */
const MAX_QUEUED = 4_096;
const ALL: KeyRange = keysFrom("", null);

interface Asked extends Count {
  readonly database: Database;
  readonly declared: readonly FieldRow[];
  readonly budget: IndexBudget;
  /** The numbers that are counted. */
  readonly window: Range;
  /** Whether sums of segments were found not to say enough. */
  readonly needsPlaces?: boolean;
}

/** Reads segments, which descend and have the same declared fields. */
export async function readSegments(asked: Asked, segments: readonly Segment[]): Promise<Batch> {
  const { accountId, bars, budget, database, field, filter } = asked;
  const base = segments[0]?.base ?? 0;
  const indexed: IndexedField[] = [
    OUTCOME,
    ...asked.declared.filter((each) => Number(each.from_base) <= base),
  ];
  const rules = conditionsOf(filter, indexed);
  const isCounted = field !== undefined && isIndexed(field, asked.declared, base);
  const terms = termsOf(rules, isCounted ? field : undefined, asked.keys);
  const numbers = segments.map(numbersIn);
  const ends = [numbers.at(-1)?.from ?? 0, numbers[0]?.to ?? 0] as const;
  const queued =
    terms.length === 0
      ? []
      : (await database.run(listUnindexed, [accountId, ...ends, MAX_QUEUED + 1])).map(
          ({ number }) => Number(number),
        );
  const chunks = segments.flatMap(chunksOf);
  const runs = await database.run(findRuns, [accountId, chunks, bars.unit, budget.bytes]);
  const runsOf = new Map(runs.map((row) => [Number(row.base), row]));
  const isOfAll = rules.isAll && rules.conditions.length === 0 && queued.length === 0;
  const isSummed = isOfAll && isCounted && areWhole(asked, segments, runsOf);
  const blocks = terms.length === 0 ? undefined : await blocksOf(asked, segments, terms, !isSummed);

  const read: SegmentRead[] = [];
  for (const segment of segments) {
    const rows = blocks?.get(segment.base);
    if (blocks && !rows) return { read, isStale: true };
    const own = chunksOf(segment).map((chunk) => runsOf.get(chunk));
    if (rows?.some((row) => row.is_left) || own.includes(undefined)) break;
    const { from, to } = numbersIn(segment);
    if (queued.length > MAX_QUEUED && from <= (queued.at(-1) ?? 0)) break;
    const sums = isSummed ? sumsOf(rows ?? [], to - from + 1) : undefined;
    if (isSummed && !sums && read.length === 0)
      return readSegments({ ...asked, needsPlaces: true }, segments);
    if (isSummed && !sums) break;
    spend(budget, rows ?? [], own as RunsRow[]);
    if (sums) {
      read.push({ segment, bars: new Uint16Array(), entries: [], sums });
      continue;
    }
    const places = queued.filter((each) => each >= from && each <= to).map((each) => each - from);
    const into = barsOf(asked, segment, own as RunsRow[]);
    const found = entriesOf(rows ?? [], segment.base, into.length);
    applyConditions(into, rules.conditions, found, places);
    const entries = found.get(rules.conditions.length) ?? [];
    if (!rules.isAll || (field !== undefined && !isCounted)) doubtAll(into);
    else doubtValues(into, entries);
    read.push({ segment, bars: into, entries });
  }
  return { read, isStale: false };
}

/** Fields that an account has declared begin with this number. */
const FIRST_DECLARED = 16;

export const isDeclared = ({ field }: CountedField): boolean => field >= FIRST_DECLARED;

/** Whether the segments from a base on have blocks of it. */
function isIndexed(field: CountedField, declared: readonly FieldRow[], base: number): boolean {
  if (!isDeclared(field)) return true;
  const row = declared.find((each) => each.field === field.field);
  return row !== undefined && Number(row.from_base) <= base;
}

/**
 * Whether the number of places of each key says all: every event of the segments is in the one bar, matches,
 * and has one value at most.
 */
function areWhole(
  { bars, field, filter, needsPlaces = false, window }: Asked,
  segments: readonly Segment[],
  runsOf: ReadonlyMap<number, RunsRow>,
): boolean {
  const { receivedFrom, receivedTo } = filter;
  if (needsPlaces || bars.count > 1 || receivedFrom !== undefined || receivedTo !== undefined)
    return false;
  if (!field || field.members.length > 0) return false;
  const isInBar = (row: RunsRow | undefined) =>
    row !== undefined && (bars.unit === null || bars.ofAll(row.earliest, row.latest) === 0);
  return segments.every((segment) => {
    const { from, to } = numbersIn(segment);
    const isWithin = window.from <= from && to <= window.to;
    return isWithin && chunksOf(segment).every((chunk) => isInBar(runsOf.get(chunk)));
  });
}

interface TermRange extends KeyRange {
  readonly term: number;
  readonly field: number;
}

/** The ranges of each condition, and those of the counted field, whose term comes after them. */
function termsOf(
  { conditions }: Conditions,
  field: CountedField | undefined,
  keys: KeyRange | undefined,
): TermRange[] {
  const counted = field ? (keys ? [exactly(""), keys] : [ALL]) : [];
  return [
    ...conditions.flatMap((each, term) =>
      each.ranges.map((range) => ({ ...range, term, field: each.field })),
    ),
    ...counted.map((range) => ({ ...range, term: conditions.length, field: field?.field ?? 0 })),
  ];
}

async function blocksOf(
  { accountId, budget, database }: Asked,
  segments: readonly Segment[],
  terms: readonly TermRange[],
  withPlaces: boolean,
): Promise<ReadonlyMap<number, readonly BlockRow[]>> {
  const rows = await database.run(findBlocks, [
    accountId,
    segments.map(({ level }) => level),
    segments.map(({ base }) => base),
    terms.map(({ field }) => field),
    terms.map(({ since }) => since),
    terms.map(({ before }) => before),
    terms.map(({ term }) => term),
    budget.bytes,
    budget.keys,
    withPlaces,
  ]);
  return Map.groupBy(rows, ({ base }) => Number(base));
}

/** The bases of the chunks of a segment, descending. */
function chunksOf(segment: Segment): number[] {
  const { from, to } = numbersIn(segment);
  const count = (to - from + 1) / CHUNK_SIZE;
  return Array.from({ length: count }, (_, at) => to - (at + 1) * CHUNK_SIZE);
}

function barsOf({ bars, filter }: Count, segment: Segment, rows: readonly RunsRow[]): Uint16Array {
  const { from, to } = numbersIn(segment);
  const into = new Uint16Array(to - from + 1).fill(NONE);
  const { receivedFrom = "", receivedTo = "~" } = filter;
  for (const row of rows) {
    const at = Number(row.base) - segment.base;
    const all = bars.unit === null ? 0 : bars.ofAll(row.earliest, row.latest);
    if (all === undefined) writeBars(bars, row.runs, into, { at, size: CHUNK_SIZE });
    else into.fill(all, at, at + CHUNK_SIZE);
    if (row.first_received < receivedFrom || row.last_received >= receivedTo)
      doubtAll(into, at, at + CHUNK_SIZE);
  }
  return into;
}

function spend(budget: IndexBudget, rows: readonly BlockRow[], runs: readonly RunsRow[]): void {
  for (const { keys, places } of rows) {
    budget.bytes -= (keys ?? []).reduce((sum, key) => sum + key.length, places?.length ?? 0);
    budget.keys -= keys?.length ?? 0;
  }
  for (const row of runs) budget.bytes -= row.runs.length;
}
