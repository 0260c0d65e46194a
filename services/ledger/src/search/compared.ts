// Compares events of an account, given by their numbers, with a filter, some at a time. Called by
// index-hits.ts with what the index has found, and by find-numbers.ts where events are read one by one. It
// must never read more parts in a statement than a bound: one event has up to a mebibyte of them.

import type { Database } from "@annals/postgres";
import { hasText } from "./rules/event-filter.ts";
import { inPartsOf } from "./rules/in-parts.ts";
import { foldedTexts } from "./rules/folded-texts.ts";
import { findInParts } from "./store/find-in-parts.ts";
import { findText } from "./store/find-text.ts";
import type { Budget } from "./budget.ts";
import { filterParams, matchesOf, type Search } from "./matches.ts";
import { inOrder } from "./range.ts";

interface Within {
  readonly database: Database;
  readonly search: Search;
  readonly budget: Budget;
}

export interface Compared {
  readonly numbers: readonly number[];
  readonly reached: number;
}

/** Maximum events that one statement compares. */
const MAX_NUMBERS = 2_048;
/** Cost of a compared event in rows of the budget: each is looked up. */
const COMPARED_COST = 2;

/** The same where parts are compared, and bytes of parts after which a statement ends. */
const MAX_NUMBERS_IN_PARTS = 512;
const MAX_BYTES = 1024 * 1024;
const FIRST_NUMBERS_IN_PARTS = 64;
/** The same where a text is looked for, which takes less than a parsed part. */
const MAX_NUMBERS_WITH_TEXT = 1_024;

/**
 * Yields those of the numbers, which are in the order of the search, that match. `end` is what is reached
 * after all of them.
 */
export async function* compared(
  within: Within,
  numbers: readonly number[],
  end: number,
): AsyncGenerator<Compared> {
  if (numbers.length === 0) yield { numbers, reached: end };
  const { filter } = within.search;
  const compare = inPartsOf(filter).length > 0 ? comparedInParts : comparedByColumns;
  if (!hasText(filter)) yield* compare(within, numbers, end);
  else if (compare === comparedByColumns) yield* comparedWithText(within, numbers, end);
  else
    for await (const found of comparedInParts(within, numbers, end))
      if (found.numbers.length === 0) yield found;
      else yield* comparedWithText(within, found.numbers, found.reached);
}

/** Whether the parts of one event match. The caller compares its columns. */
export async function matchesInParts(
  database: Database,
  { accountId, filter }: Omit<Search, "ascending">,
  number: number,
): Promise<boolean> {
  const inParts = inPartsOf(filter);
  if (inParts.length === 0) return true;
  const given = [accountId, [number], MAX_BYTES, JSON.stringify(inParts)] as const;
  const [row] = await database.run(findInParts, [...given, ...filterParams(filter)]);
  return row?.numbers?.includes(number) === true;
}

async function* comparedByColumns(
  { database, search, budget }: Within,
  hits: readonly number[],
  end: number,
): AsyncGenerator<Compared> {
  for (let at = 0; at < hits.length; at += MAX_NUMBERS) {
    const some = hits.slice(at, at + MAX_NUMBERS);
    const matches = await matchesOf(database, search, some);
    budget.spend(some.length * COMPARED_COST);
    const numbers = inOrder(matches, search.ascending);
    yield { numbers, reached: at + MAX_NUMBERS < hits.length ? (some.at(-1) ?? end) : end };
  }
}

async function* comparedInParts(
  { database, search, budget }: Within,
  hits: readonly number[],
  end: number,
): AsyncGenerator<Compared> {
  const { accountId, filter } = search;
  const asked = inPartsOf(filter);
  const inParts = JSON.stringify(asked);
  let size = FIRST_NUMBERS_IN_PARTS;
  for (let at = 0; at < hits.length; size = MAX_NUMBERS_IN_PARTS) {
    const some = hits.slice(at, at + size);
    const params = filterParams(filter);
    // oxlint-disable-next-line no-await-in-loop -- each statement begins where the one before has ended
    const [row] = await database.run(findInParts, [accountId, some, MAX_BYTES, inParts, ...params]);
    const bytes = Number(row?.bytes ?? 0);
    const read = bytes >= MAX_BYTES ? Number(row?.last_place) : some.length;
    budget.spendParts(asked.length, read, bytes);
    at += read;
    const numbers = row?.numbers ?? [];
    yield { numbers, reached: at < hits.length ? (some[read - 1] ?? end) : end };
  }
}

/** Compares columns as well. A statement reads no more parts than the budget has left. */
async function* comparedWithText(
  { database, search, budget }: Within,
  hits: readonly number[],
  end: number,
): AsyncGenerator<Compared> {
  const { accountId, filter } = search;
  const { parts, texts } = foldedTexts(filter);
  let size = FIRST_NUMBERS_IN_PARTS;
  for (let at = 0; at < hits.length;) {
    const some = hits.slice(at, at + size);
    const maxBytes = Math.max(1, Math.min(MAX_BYTES, budget.textBytesLeft));
    const asked = [accountId, some, maxBytes, parts, ...texts] as const;
    // oxlint-disable-next-line no-await-in-loop -- each statement begins where the one before has ended
    const [row] = await database.run(findText, [...asked, ...filterParams(filter)]);
    const bytes = Number(row?.bytes ?? 0);
    const isCut = bytes >= maxBytes;
    const read = isCut ? Number(row?.last_place) : some.length;
    // Those that did not fit were looked up, too.
    budget.spendText(some.length * COMPARED_COST, bytes);
    size = isCut ? read : MAX_NUMBERS_WITH_TEXT;
    at += read;
    const numbers = row?.numbers ?? [];
    yield { numbers, reached: at < hits.length ? (some[read - 1] ?? end) : end };
  }
}
