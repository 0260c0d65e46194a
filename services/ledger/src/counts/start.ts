// Begins counts that differ in their fields alone: says of which events they are, and compares those behind
// the filter index once for all of them. Called by walk.ts for one count, and by count-values.ts for several.
// All counts of a request end at the same event, however many are appended meanwhile.

import type { Database } from "@annals/postgres";
import { isEmpty, numbersOf, type Range } from "../search/range.ts";
import { getSearchEnds } from "../store/get-search-ends.ts";
import { type EventBudget, matchingEvents } from "./counted-events.ts";
import type { Count } from "./read-segments.ts";
import type { CountedEvent } from "./rules/piece.ts";

export interface Start {
  readonly range: Range;
  /** The last number that the filter index has. */
  readonly indexed: number;
  /** Undefined: the index has every event of the range. */
  readonly tail: Compared | undefined;
}

/** Events that were compared, for one of the counts. */
export interface Compared {
  readonly events: readonly CountedEvent[];
  /** Every event from this number on was compared. */
  readonly reached: number;
}

/** One start for each of the counts, which have the same filter and the same bars. */
export async function startCounts(
  database: Database,
  counts: readonly [Count, ...Count[]],
  budget: EventBudget,
): Promise<Start[]> {
  const [{ accountId, filter }] = counts;
  const [ends] = await database.run(getSearchEnds, [accountId]);
  const range = {
    from: Math.max(Number(filter.afterSequence ?? 0n) + 1, Number(ends?.first ?? 1)),
    to: Math.min(Number(filter.beforeSequence ?? Infinity) - 1, Number(ends?.last ?? 0)),
  };
  const indexed = Number(ends?.indexed ?? 0);
  const behind = { ...range, from: Math.max(range.from, indexed + 1) };
  if (isEmpty(behind)) return counts.map(() => ({ range, indexed, tail: undefined }));
  const tails = await compareRange(database, counts, behind, budget);
  return tails.map((tail) => ({ range, indexed, tail }));
}

/** Compares the events of a range, the newest first, as far as the budget goes. */
export async function compareRange(
  database: Database,
  counts: readonly [Count, ...Count[]],
  range: Range,
  budget: EventBudget,
): Promise<Compared[]> {
  const from = Math.max(range.from, range.to - Math.max(1, budget.events) + 1);
  const asked = numbersOf({ from, to: range.to }).toReversed();
  const { compared, events } = await matchingEvents(database, counts, asked, budget);
  return events.map((each) => ({ events: each, reached: range.to - compared + 1 }));
}
