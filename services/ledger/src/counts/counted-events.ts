// Compares events, given by their numbers, with the filter of a count, and reads what is counted of those
// that match. Called by walk.ts and start.ts for what the filter index cannot decide, within a budget.

import { byBytes } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { Budget } from "../search/budget.ts";
import { compared } from "../search/compared.ts";
import type { KeyRange } from "../search/rules/segment.ts";
import { NONE } from "./rules/bars.ts";
import type { CountedEvent } from "./rules/piece.ts";
import type { Count } from "./read-segments.ts";
import { readValues, type ValuesRow } from "./store/read-values.ts";

/** What may still be compared. */
export interface EventBudget {
  events: number;
  readonly rows: Budget;
}

/** Those of some numbers that match. */
export interface Matching {
  readonly numbers: readonly number[];
  /** How many of the numbers were compared, from the first one on. */
  readonly compared: number;
}

/** Events, and bytes of parts, of which one statement reads the values. */
const MAX_NUMBERS = 1_024;
const MAX_BYTES = 1024 * 1024;

/** Compares numbers, which descend, as far as the budget goes: at least one. */
export async function matchingNumbers(
  database: Database,
  { accountId, filter }: Pick<Count, "accountId" | "filter">,
  numbers: readonly number[],
  budget: EventBudget,
): Promise<Matching> {
  const asked = numbers.slice(0, Math.max(1, budget.events));
  const search = { accountId, ascending: false, filter };
  const end = asked.at(-1) ?? 0;
  const found: number[] = [];
  let reached = Infinity;
  if (asked.length > 0)
    for await (const step of compared({ database, search, budget: budget.rows }, asked, end)) {
      found.push(...step.numbers);
      reached = step.reached;
      if (budget.rows.isSpent) break;
    }
  const done = asked.filter((number) => number >= reached).length;
  budget.events -= done;
  return { numbers: found, compared: done };
}

/** Reads what is counted of events that match, given by their numbers. */
export async function countedEvents(
  database: Database,
  { accountId, bars, field, keys }: Count,
  numbers: readonly number[],
): Promise<CountedEvent[]> {
  const events: CountedEvent[] = [];
  for (let at = 0; at < numbers.length;) {
    const asked = numbers.slice(at, at + MAX_NUMBERS);
    // oxlint-disable-next-line no-await-in-loop -- each statement begins where the one before has ended
    const rows = await database.run(readValues, [
      accountId,
      asked,
      field?.source ?? null,
      field?.members ?? [],
      field?.type ?? "",
      field?.ignoreCase ?? false,
      MAX_BYTES,
    ]);
    for (const row of rows) {
      const bar = bars.ofTime(row.occurred_at);
      const values = keys ? row.values.filter((value) => isIn(value, keys)) : row.values;
      if (bar !== NONE) events.push({ bar, values });
    }
    at += readOf(rows, asked.length);
  }
  return events;
}

/** Whether PostgreSQL finds a value in the range with the collation C. */
const isIn = (value: string, { before, since }: KeyRange): boolean =>
  byBytes(value, since) >= 0 && byBytes(value, before) < 0;

/** How many of the numbers a statement has read: those of deleted events have no row. */
function readOf(rows: readonly ValuesRow[], asked: number): number {
  const last = rows.at(-1);
  return last && Number(last.bytes) >= MAX_BYTES ? Number(last.place) : asked;
}
