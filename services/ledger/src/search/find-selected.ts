// The events that a request to erase selects, found as those of a list are. Called by
// erasures/worker/erasures.ts piece by piece, and by erasures/request-erasure.ts, which counts them. What it
// finds is compared with the events again before they are erased.

import type { Database } from "@annals/postgres";
import type { EventFilter } from "./rules/event-filter.ts";
import type { Selector } from "../erasures/rules/erasure.ts";
import { Budget } from "./budget.ts";
import { findNumbers } from "./find-numbers.ts";

interface Selection {
  readonly accountId: string;
  /** One of an actor or of a target. */
  readonly selector: Selector;
}

/** Finds the first `limit` numbers after `after` and up to `upTo`, ascending, within a budget of rows. */
export async function findSelected(
  database: Database,
  { accountId, selector }: Selection,
  within: {
    readonly after: number;
    readonly upTo: number;
    readonly limit: number;
    readonly rows: number;
  },
): Promise<{ readonly numbers: readonly number[]; readonly reached: number }> {
  const { after, limit, rows, upTo } = within;
  const filter = {
    ...filterOf(selector),
    afterSequence: BigInt(after),
    beforeSequence: BigInt(upTo) + 1n,
  };
  const budget = new Budget(rows);
  const numbers: number[] = [];
  for await (const step of findNumbers(database, { accountId, ascending: true, filter }, budget)) {
    numbers.push(...step.numbers);
    const last = numbers[limit - 1];
    if (last !== undefined) return { numbers: numbers.slice(0, limit), reached: last };
    if (budget.isSpent && !step.isLast) return { numbers, reached: step.reached };
  }
  return { numbers, reached: upTo };
}

/**
 * Rows that a count may read, by the costs of budget.ts. A million events of one value cost 130,000 if
 * they follow each other, and 3,900,000 if they are spread over a chain of four billion.
 */
const COUNTED_ROWS = 5_000_000;

/** Whether more events than `limit` are selected, or more than can be counted within the bound. */
export async function isMoreThan(
  database: Database,
  { accountId, selector }: Selection,
  limit: number,
  rows = COUNTED_ROWS,
): Promise<boolean> {
  const budget = new Budget(rows);
  const search = { accountId, ascending: true, filter: filterOf(selector) };
  let count = 0;
  for await (const { isLast, numbers } of findNumbers(database, search, budget)) {
    count += numbers.length;
    if (count > limit || (budget.isSpent && !isLast)) return true;
  }
  return false;
}

function filterOf({ actorId, targetId }: Selector): EventFilter {
  return {
    ...(actorId !== undefined && { actorIds: [actorId] }),
    ...(targetId !== undefined && { targetIds: [targetId] }),
  };
}
