// Counts the values of a field in the events that match a filter. Called by the RPCs of facets. What it
// counts are all events from a number on.

import type { Database } from "@annals/postgres";
import type { EventFilter } from "../search/rules/event-filter.ts";
import type { KeyRange } from "../search/rules/segment.ts";
import { budgetOf, type CountBounds } from "./count-events.ts";
import type { EventBudget } from "./counted-events.ts";
import { Bars } from "./rules/bars.ts";
import { type CountedField, shownValue } from "./rules/counted-field.ts";
import { Tally } from "./rules/tally.ts";
import { startCounts } from "./start.ts";
import { type Step, walk } from "./walk.ts";

export interface FacetSearch {
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly fields: readonly [CountedField, ...CountedField[]];
  /** Values that are counted; by default all. The others are as if they were not there. */
  readonly keys: KeyRange | undefined;
  readonly limit: number;
  readonly bounds: CountBounds;
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

/** One facet for each of the fields, all of the same events unless the budget ends one of them. */
export async function countValues(
  database: Database,
  { accountId, bounds, fields, filter, keys, limit }: FacetSearch,
): Promise<Facet[]> {
  const bars = new Bars(undefined, filter);
  const [first, ...more] = fields.map((field) => ({ accountId, filter, bars, field, keys }));
  if (!first) return [];
  const starts = await startCounts(database, [first, ...more], tailBudget(bounds, fields));
  const facets: Facet[] = [];
  for (const [at, count] of [first, ...more].entries()) {
    const steps = walk(database, count, budgetOf(shareOf(bounds, fields.length)), starts[at]);
    // oxlint-disable-next-line no-await-in-loop -- they share the turns of one request
    facets.push(await facetOf(steps, count.field, limit));
  }
  return facets;
}

/** What may be compared behind the index for all fields. */
function tailBudget(bounds: CountBounds, fields: readonly CountedField[]): EventBudget {
  const inParts = fields.filter(({ members }) => members.length > 0).length;
  const { events } = budgetOf(bounds);
  const most = Math.floor(bounds.values / inParts);
  return { ...events, events: Math.max(1, Math.min(bounds.events, most)) };
}

/** What the count of one of some fields may read of the index, and of events that it does not decide. */
function shareOf(bounds: CountBounds, fields: number): CountBounds {
  const share = (most: number) => Math.max(1, Math.floor(most / fields));
  return {
    ...bounds,
    bytes: share(bounds.bytes),
    keys: share(bounds.keys),
    events: share(bounds.events),
    rows: share(bounds.rows),
    textBytes: share(bounds.textBytes),
  };
}

async function facetOf(
  steps: AsyncIterable<Step>,
  field: CountedField,
  limit: number,
): Promise<Facet> {
  const tally = new Tally(1);
  let reached = 1;
  let isComplete = true;
  for await (const step of steps) {
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
