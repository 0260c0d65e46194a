// Reads one page of the events that match a filter. Called by the handlers of lists. A page ends at its
// limit, at a number of bytes, or when its budget is spent. So it may be short, or even empty, and only
// `next` says whether there may be more.

import type { Database } from "@annals/postgres";
import { isPlain } from "./rules/event-filter.ts";
import type { EventRow } from "../store/event-row.ts";
import { listEvents } from "../store/list-events.ts";
import { Budget } from "./budget.ts";
import { findNumbers } from "./find-numbers.ts";
import type { Search } from "./matches.ts";
import { readNumbers, readRangeOf } from "./read-events.ts";

/** What one page may cost. */
export interface PageBounds {
  /** Budget: rows that are read to find events. */
  readonly rows: number;
  /** Bytes of parts in which a text is looked for. The last event may exceed it. */
  readonly textBytes: number;
  /** Bytes of parts after which the page ends; the last event may exceed it. */
  readonly bytes: number;
}

export interface PageSearch extends Search {
  readonly limit: number;
  readonly bounds: PageBounds;
}

export interface Page {
  readonly rows: readonly EventRow[];
  /** The next page begins after this number, in the order of the search. Undefined: nothing is left. */
  readonly next: bigint | undefined;
}

export async function readPage(database: Database, search: PageSearch): Promise<Page> {
  return isPlain(search.filter) ? readAll(database, search) : readMatching(database, search);
}

/** Reads one event more than the limit, to know whether there is a next page. */
async function readAll(database: Database, search: PageSearch): Promise<Page> {
  const { bounds, limit } = search;
  const limits = { rows: limit + 1, bytes: bounds.bytes };
  const { rows, isCut } = await readRangeOf(database, search, listEvents, limits);
  const shown = rows.slice(0, limit);
  return { rows: shown, next: isCut || rows.length > limit ? lastOf(shown) : undefined };
}

async function readMatching(database: Database, search: PageSearch): Promise<Page> {
  const { bounds, limit } = search;
  const { numbers, next } = await numbersOf(database, search);
  const asked = { numbers: numbers.slice(0, limit), bytes: bounds.bytes };
  const { rows, isCut } = await readNumbers(database, search, listEvents, asked);
  if (isCut) return { rows, next: lastOf(rows) };
  return { rows, next: numbers.length > limit ? BigInt(numbers[limit - 1] ?? 0) : next };
}

/** The first matches, one more than the limit if they are found, and where the search ended if it did not. */
async function numbersOf(
  database: Database,
  search: PageSearch,
): Promise<{ readonly numbers: readonly number[]; readonly next: bigint | undefined }> {
  const budget = new Budget(search.bounds.rows, search.bounds.textBytes);
  const numbers: number[] = [];
  for await (const step of findNumbers(database, search, budget)) {
    numbers.push(...step.numbers);
    if (numbers.length > search.limit) break;
    if (budget.isSpent && !step.isLast) return { numbers, next: BigInt(step.reached) };
  }
  return { numbers, next: undefined };
}

function lastOf(rows: readonly EventRow[]): bigint | undefined {
  const last = rows.at(-1);
  return last && BigInt(last.sequence_number);
}
