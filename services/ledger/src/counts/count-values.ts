// Counts the values of a field in the events that match a filter. Called by the RPCs of facets. What it
// counts are all events from a number on.

import type { Database } from "@annals/postgres";
import type { EventFilter } from "../search/rules/event-filter.ts";
import type { KeyRange } from "../search/rules/segment.ts";
import { Bars } from "./rules/bars.ts";
import { type CountedField, shownValue } from "./rules/counted-field.ts";
import { Tally } from "./rules/tally.ts";
import { type CountBudget, walk } from "./walk.ts";

export interface FacetSearch {
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly field: CountedField;
  /** Values that are counted; by default all. The others are as if they were not there. */
  readonly keys: KeyRange | undefined;
  readonly limit: number;
}

export interface Facet {
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Counts of the values that are not listed. */
  readonly other: number;
  readonly missing: number;
  readonly distinct: number;
  readonly events: number;
  readonly reached: number;
  readonly isComplete: boolean;
}

/** Bytes of the values of an answer: only control characters take so many. */
const MAX_BYTES = 36 * 1024;

export async function countValues(
  database: Database,
  { accountId, field, filter, keys, limit }: FacetSearch,
  budget: CountBudget,
): Promise<Facet> {
  const bars = new Bars(undefined, filter);
  const tally = new Tally(bars.count);
  let reached = 1;
  let isComplete = true;
  for await (const step of walk(database, { accountId, filter, bars, field, keys }, budget)) {
    tally.add(step);
    reached = step.reached;
    isComplete = step.isLast;
  }
  const listed = fitting(tally, field, limit);
  return {
    values: listed,
    other: tally.valued - listed.reduce((sum, { count }) => sum + count, 0),
    missing: tally.missing,
    distinct: tally.distinct,
    events: tally.total,
    reached,
    isComplete,
  };
}

/** The most frequent values as they are shown, as many as an answer has space for. */
function fitting(tally: Tally, { type }: CountedField, limit: number): Facet["values"] {
  let left = MAX_BYTES;
  return tally
    .values()
    .slice(0, limit)
    .map(({ count, value }) => ({ value: shownValue(type, value), count }))
    .filter(({ value }) => {
      left -= Buffer.byteLength(JSON.stringify(value));
      return left >= 0;
    });
}
