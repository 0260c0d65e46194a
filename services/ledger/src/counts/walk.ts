// Goes through the events that a count is of, from the newest one down, and yields pieces of them: what the
// filter index says of a segment, and the events that it cannot decide. What lies behind the index is
// compared event by event. Called by the counts. It must be right however far the index is; a budget ends it
// early, and never before it got on.

import type { Database } from "@annals/postgres";
import { SEALED_SIZE, numbersIn, type Segment, segmentsOf } from "../search/rules/segment.ts";
import { clip, type Range } from "../search/range.ts";
import { findSegments } from "../store/find-segments.ts";
import { type FieldRow, listSearchFields } from "../store/list-search-fields.ts";
import { type EventBudget, matchingEvents } from "./counted-events.ts";
import {
  type Count,
  type IndexBudget,
  isDeclared,
  readSegments,
  type SegmentRead,
} from "./read-segments.ts";
import { NONE } from "./rules/bars.ts";
import { type Piece, unsurePlaces } from "./rules/piece.ts";
import { compareRange, type Start, startCounts } from "./start.ts";

export interface CountBudget {
  readonly index: IndexBudget;
  readonly events: EventBudget;
}

export interface Step extends Piece {
  /** Every event from this number on was counted, in this step or in an earlier one. */
  readonly reached: number;
  /** Whether nothing is left below. */
  readonly isLast: boolean;
}

/** Numbers whose segments one statement finds. */
const WINDOW = 16 * SEALED_SIZE;
/** Segments that the first statement reads, and the factor by which each further one reads more. */
const FIRST_SEGMENTS = 1;
const GROWTH = 4;
const MAX_SEGMENTS = 16;

const NOTHING: Piece = { bars: new Uint16Array(), entries: [], events: [] };

/** Yields nothing if the range of the filter has no event. */
export async function* walk(
  database: Database,
  count: Count,
  budget: CountBudget,
  start?: Start,
): AsyncGenerator<Step> {
  const [begun = start] = start ? [] : await startCounts(database, [count], budget.events);
  if (!begun) return;
  for await (const step of pieces({ database, count, budget }, begun)) {
    yield { ...step, isLast: step.reached === begun.range.from };
    if (step.isCut) return;
  }
}

interface Walk {
  readonly database: Database;
  readonly count: Count;
  readonly budget: CountBudget;
}

type Found = Piece & {
  readonly reached: number;
  /** Whether the budget has ended it. */
  readonly isCut: boolean;
};

async function* pieces(walked: Walk, { indexed, range, tail }: Start): AsyncGenerator<Found> {
  if (tail) {
    const isCut = tail.reached > Math.max(range.from, indexed + 1);
    yield { ...NOTHING, ...tail, isCut };
  }
  let hasBegun = tail !== undefined;
  let { to } = clip(range, { from: 1, to: indexed });
  while (range.from <= to) {
    const window = { from: Math.max(range.from, windowOf(to)), to };
    let reached = to + 1;
    for await (const found of windowPieces(walked, window, hasBegun)) {
      hasBegun = true;
      reached = found.reached;
      yield found;
    }
    to = reached - 1;
  }
}

/** Windows do not cut a sealed segment. */
const windowOf = (to: number): number => Math.floor((to - 1) / WINDOW) * WINDOW + 1;

async function* windowPieces(
  walked: Walk,
  window: Range,
  hasBegun: boolean,
): AsyncGenerator<Found> {
  const { budget, count, database } = walked;
  const { accountId, filter } = count;
  const { occurredFrom = null, occurredTo = null, receivedFrom = null, receivedTo = null } = filter;
  const times = [occurredFrom, occurredTo, receivedFrom, receivedTo] as const;
  const [row] = await database.run(findSegments, [accountId, window.from, window.to, ...times]);
  const planned = segmentsOf(row ?? { chunks: null, sealed: null }).toReversed();
  // They are read after the segments: one that is sealed meanwhile, with less of a field, is planned again.
  const declared = needsFields(count) ? await database.run(listSearchFields, [accountId]) : [];
  const taken = { numbers: 0, bytes: 0, keys: 0 };
  let size = FIRST_SEGMENTS;
  let isFirst = !hasBegun;
  let lowest = window.to + 1;
  for (let at = 0; at < planned.length; size = Math.min(size * GROWTH, MAX_SEGMENTS)) {
    const some = sameFields(planned.slice(at, at + size), declared);
    const segments = affordable(some, budget.index, taken);
    const { bytes, keys } = budget.index;
    const asked = { ...count, database, declared, budget: budget.index, window };
    // oxlint-disable-next-line no-await-in-loop -- each statement begins where the one before has ended
    const { isStale, read } = await readSegments(asked, segments);
    taken.bytes += bytes - budget.index.bytes;
    taken.keys += keys - budget.index.keys;
    for (const segment of read) {
      taken.numbers += sizeOf(segment.segment);
      const found = await pieceOf(walked, segment, window);
      yield found;
      if (found.isCut) return;
      lowest = found.reached;
      isFirst = false;
    }
    at += read.length;
    if (isStale) {
      if (read.length === 0) yield { ...NOTHING, reached: lowest, isCut: false };
      return;
    }
    if (read.length < segments.length) {
      const next = segments[read.length];
      if (next && read.length === 0) {
        yield await cutAt(walked, clip(window, numbersIn(next)), { isFirst, lowest });
        return;
      }
    }
  }
  yield { ...NOTHING, reached: window.from, isCut: false };
}

function needsFields({ field, filter }: Count): boolean {
  const named = [...(filter.fields ?? []), ...(filter.not?.fields ?? [])];
  return named.length > 0 || (field !== undefined && isDeclared(field));
}

/** The first of the segments that have the same declared fields. */
function sameFields(segments: readonly Segment[], declared: readonly FieldRow[]): Segment[] {
  const fieldsOf = ({ base }: Segment) =>
    declared.filter((field) => Number(field.from_base) <= base).length;
  const [first] = segments;
  return segments.filter((segment) => first && fieldsOf(segment) === fieldsOf(first));
}

/**
 * The first of the segments, as many as the budget has space for if they take what those before have `taken`:
 * PostgreSQL reads also what turns out to be too much.
 */
function affordable(
  segments: readonly Segment[],
  budget: IndexBudget,
  taken: IndexBudget & { readonly numbers: number },
): Segment[] {
  const most = Math.min(
    ...(["bytes", "keys"] as const).map((each) => (budget[each] * taken.numbers) / taken[each]),
  );
  let numbers = 0;
  return segments.filter((segment, at) => {
    numbers += sizeOf(segment);
    return at === 0 || !(numbers > most);
  });
}

const sizeOf = (segment: Segment): number => {
  const { from, to } = numbersIn(segment);
  return to - from + 1;
};

/** What the budget of the index has no space for. Its events are compared if nothing was counted before. */
async function cutAt(
  walked: Walk,
  range: Range,
  { isFirst, lowest }: { readonly isFirst: boolean; readonly lowest: number },
): Promise<Found> {
  if (!isFirst) return { ...NOTHING, reached: Math.max(lowest, range.to + 1), isCut: true };
  const { budget, count, database } = walked;
  const [found] = await compareRange(database, [count], range, budget.events);
  return { ...NOTHING, ...found, reached: found?.reached ?? range.to + 1, isCut: true };
}

const isSpent = ({ events }: CountBudget): boolean =>
  events.events <= 0 || events.valueBytes <= 0 || events.rows.isSpent;

/** What the index says of a segment, and the events that it cannot decide. */
async function pieceOf(
  { budget, count, database }: Walk,
  { bars, entries, segment, sums }: SegmentRead,
  window: Range,
): Promise<Found> {
  const { from, to } = numbersIn(segment);
  if (sums) return { ...NOTHING, sums, reached: from, isCut: false };
  const range = clip(window, { from, to });
  bars.fill(NONE, 0, range.from - from);
  bars.fill(NONE, range.to - from + 1);
  const unsure = unsurePlaces(bars, Math.max(1, budget.events.events) + 1);
  const numbers = unsure.map((place) => from + place);
  if (numbers.length === 0) return { bars, entries, events: [], reached: range.from, isCut: false };
  if (isSpent(budget)) return upTo({ bars, entries, events: [] }, numbers[0] ?? to, from);
  const { compared, events: of } = await matchingEvents(database, [count], numbers, budget.events);
  const next = numbers[compared];
  const [events = []] = of;
  const piece = { bars, entries, events };
  return next === undefined
    ? { ...piece, reached: range.from, isCut: false }
    : upTo(piece, next, from);
}

/** The events above a number that could not be decided. */
function upTo(piece: Piece, next: number, from: number): Found {
  piece.bars.fill(NONE, 0, next - from + 1);
  return { ...piece, reached: next + 1, isCut: true };
}
