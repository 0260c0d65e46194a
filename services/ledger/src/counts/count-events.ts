// Counts the events that match a filter, by bars of time and by the values of a field. Called by the RPCs of
// histograms. What it counts are all events from a number on, so that the counts of two pages can be added.

import type { Database } from "@annals/postgres";
import { Budget } from "../search/budget.ts";
import type { EventFilter } from "../search/rules/event-filter.ts";
import { Bars } from "./rules/bars.ts";
import { type CountedField, shownValue } from "./rules/counted-field.ts";
import { Tally } from "./rules/tally.ts";
import { type CountBudget, walk } from "./walk.ts";

/** What one request may read. */
export interface CountBounds {
  /** Bytes of the filter index, and keys of the counted field in it. */
  readonly bytes: number;
  readonly keys: number;
  /** Events that are compared. */
  readonly events: number;
  /** Values in parts that are read of them: each field of a facet is parsed by itself. */
  readonly values: number;
  /** The rows of the comparison (search/budget.ts). */
  readonly rows: number;
  /** Bytes in which a text is looked for, and as many of parts of which values are read. */
  readonly textBytes: number;
}

export interface HistogramSearch {
  readonly accountId: string;
  readonly filter: EventFilter;
  /** Minutes since 1970, ascending. */
  readonly edges: readonly number[];
  readonly by: CountedField | undefined;
  /** Values as they are shown, which an earlier page has named. */
  readonly values?: readonly string[] | undefined;
  readonly bounds: CountBounds;
}

export interface Histogram {
  readonly bars: readonly {
    /** Of the first edge, from 0. */
    readonly bar: number;
    /** Undefined: none of the values. */
    readonly value: string | undefined;
    readonly count: number;
  }[];
  readonly values: readonly string[];
  readonly total: number;
  /** Every match from this number on was counted. */
  readonly reached: number;
  readonly isComplete: boolean;
}

const MAX_VALUES = 10;
/** Bytes of the rows of an answer: each has a value and some more. */
const MAX_BYTES = 448 * 1024;
const ROW_BYTES = 75;

export function budgetOf(bounds: CountBounds): CountBudget {
  return {
    index: { bytes: bounds.bytes, keys: bounds.keys },
    events: {
      events: bounds.events,
      rows: new Budget(bounds.rows, bounds.textBytes),
      valueBytes: bounds.textBytes,
    },
  };
}

export async function countEvents(database: Database, search: HistogramSearch): Promise<Histogram> {
  const { accountId, bounds, by, edges, filter } = search;
  const bars = new Bars(edges, filter);
  const tally = new Tally(bars.count);
  let reached = 1;
  let isComplete = true;
  const count = { accountId, filter, bars, field: by };
  for await (const step of walk(database, count, budgetOf(bounds))) {
    tally.add(step);
    reached = step.reached;
    isComplete = step.isLast;
  }
  const shown = by && named(tally, by, bars.count, search.values);
  const rest = tally.rest((shown ?? []).map(({ key }) => key));
  const rows = Array.from(rest).flatMap((left, bar) => [
    ...(shown ?? []).map(({ key, value }) => ({ bar, value, count: tally.of(key, bar) })),
    { bar, value: undefined, count: left },
  ]);
  return {
    bars: rows.filter(({ count: events }) => events > 0),
    values: shown?.map(({ value }) => value) ?? [],
    total: tally.total,
    reached,
    isComplete,
  };
}

interface Named {
  readonly key: string;
  readonly value: string;
}

/** The values that have rows of their own: as many as the answer has space for in every bar. */
function named(
  tally: Tally,
  { type }: CountedField,
  bars: number,
  given: readonly string[] | undefined,
): Named[] {
  const all = tally.values().map(({ value: key }) => ({ key, value: shownValue(type, key) }));
  if (given) {
    const keys = new Map(all.map(({ key, value }) => [value, key]));
    // A value that this page has not found has no rows in it.
    return given.map((value) => ({ key: keys.get(value) ?? `\0${value}`, value }));
  }
  let left = MAX_BYTES - bars * ROW_BYTES;
  return all.slice(0, MAX_VALUES).filter(({ value }) => {
    left -= bars * (ROW_BYTES + Buffer.byteLength(JSON.stringify(value)));
    return left >= 0;
  });
}
