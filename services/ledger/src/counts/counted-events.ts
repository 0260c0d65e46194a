// Compares events, given by their numbers, with the filter of a count, and reads what is counted of those
// that match. Called by walk.ts and start.ts for what the filter index cannot decide, within a budget.

import { byBytes } from "@annals/contract";
import type { Database } from "@annals/postgres";
import type { Budget } from "../search/budget.ts";
import { compared } from "../search/compared.ts";
import { filterParams } from "../search/matches.ts";
import { hasText } from "../search/rules/event-filter.ts";
import { inPartsOf } from "../search/rules/in-parts.ts";
import type { KeyRange } from "../search/rules/segment.ts";
import { NONE } from "./rules/bars.ts";
import type { CountedEvent } from "./rules/piece.ts";
import type { Count } from "./read-segments.ts";
import { type ColumnsRow, readColumns } from "./store/read-columns.ts";
import { readValues, type ValuesRow } from "./store/read-values.ts";

/** What may still be compared. */
export interface EventBudget {
  events: number;
  readonly rows: Budget;
  /** Bytes of parts of which values may be read. */
  valueBytes: number;
}

/** What is counted of those of some events that match, for each of some counts. */
export interface Matching {
  readonly events: readonly (readonly CountedEvent[])[];
  /** How many of the events were compared, from the first one on. */
  readonly compared: number;
}

/** Events, and bytes of parts, of which one statement reads the values. */
const MAX_NUMBERS = 1_024;
const MAX_BYTES = 1024 * 1024;
/** Cost of an event that is compared and read, in rows of the budget. */
const READ_COST = 2;

type Counts = readonly [Count, ...Count[]];

const isColumn = ({ field }: Count): boolean => !field || field.members.length === 0;

/**
 * Compares events with the filter that some counts share, as their bars, as far as the budget goes: at least
 * one. The numbers descend.
 */
export async function matchingEvents(
  database: Database,
  counts: Counts,
  numbers: readonly number[],
  budget: EventBudget,
): Promise<Matching> {
  const [{ filter }] = counts;
  const asked = numbers.slice(0, Math.max(1, budget.events));
  const isByColumns = !hasText(filter) && inPartsOf(filter).length === 0;
  const compare = isByColumns && counts.every(isColumn) ? readMatching : readOfMatching;
  const matching = await compare(database, counts, asked, budget);
  budget.events -= matching.compared;
  return matching;
}

/** One statement compares events and reads their columns. */
async function readMatching(
  database: Database,
  counts: Counts,
  numbers: readonly number[],
  { rows }: EventBudget,
): Promise<Matching> {
  const events: ReadEvents[] = [];
  let done = 0;
  while (done < numbers.length) {
    const asked = numbers.slice(done, done + MAX_NUMBERS);
    // oxlint-disable-next-line no-await-in-loop -- the budget may end it
    events.push(...(await readEvents(database, counts, asked)));
    rows.spend(asked.length * READ_COST);
    done += asked.length;
    if (rows.isSpent) break;
  }
  return { events: counts.map((count) => inColumn(count, events)), compared: done };
}

/** Events are compared first. Those of which the budget does not read the values were not compared. */
async function readOfMatching(
  database: Database,
  counts: Counts,
  numbers: readonly number[],
  budget: EventBudget,
): Promise<Matching> {
  const { rows } = budget;
  const [{ accountId, filter }] = counts;
  const search = { accountId, ascending: false, filter };
  const last = numbers.at(-1) ?? 0;
  const found: number[] = [];
  let reached = Infinity;
  if (numbers.length > 0)
    for await (const step of compared({ database, search, budget: rows }, numbers, last)) {
      found.push(...step.numbers);
      reached = step.reached;
      if (rows.isSpent) break;
    }
  const { events, readTo } = await valuesOf(database, counts, found, budget);
  const end = Math.max(reached, readTo);
  return { events, compared: numbers.filter((number) => number >= end).length };
}

/** The values of events that match, down to the last one of which those of each count were read. */
async function valuesOf(
  database: Database,
  counts: Counts,
  matching: readonly number[],
  budget: EventBudget,
): Promise<{ readonly events: CountedEvent[][]; readonly readTo: number }> {
  const inParts = counts.filter((count) => !isColumn(count));
  const maxBytes = Math.floor(budget.valueBytes / Math.max(1, inParts.length));
  const values = new Map<Count, ReadValues>();
  for (const count of inParts)
    // oxlint-disable-next-line no-await-in-loop -- they share the turns of one request
    values.set(count, await readParts(database, count, matching, maxBytes));
  for (const { bytes } of values.values()) budget.valueBytes -= bytes;
  const done = Math.min(matching.length, ...[...values.values()].map(({ read }) => read));
  const numbers = matching.slice(0, done);
  const readTo = done < matching.length ? (numbers.at(-1) ?? 0) : 0;
  const read: ReadEvents[] = [];
  if (counts.some(isColumn))
    for (let at = 0; at < numbers.length; at += MAX_NUMBERS)
      // oxlint-disable-next-line no-await-in-loop -- a statement is bounded
      read.push(...(await readEvents(database, counts, numbers.slice(at, at + MAX_NUMBERS))));
  const events = counts.map((count) => {
    const rows = values.get(count)?.rows;
    return rows ? inPart(count, rows, readTo) : inColumn(count, read);
  });
  return { events, readTo };
}

/** Events that were read together. */
interface ReadEvents {
  readonly bars: readonly number[];
  readonly columns: ColumnsRow;
}

async function readEvents(
  database: Database,
  counts: Counts,
  numbers: readonly number[],
): Promise<ReadEvents[]> {
  const [{ accountId, bars, filter }] = counts;
  const columns = counts.filter(isColumn).map(({ field }) => field?.source ?? "");
  const params = [accountId, numbers, columns, ...filterParams(filter)] as const;
  const rows = await database.run(readColumns, [...params]);
  return rows.map((row) => ({
    bars: (row.occurred_at ?? []).map((time) => bars.ofTime(time)),
    columns: row,
  }));
}

function inColumn({ field, keys }: Count, read: readonly ReadEvents[]): CountedEvent[] {
  const column = field?.source as keyof ColumnsRow | undefined;
  const events: CountedEvent[] = [];
  for (const { bars, columns } of read) {
    const values = column === undefined ? null : columns[column];
    for (const [at, bar] of bars.entries()) {
      const value = values?.[at] ?? null;
      const isCounted = value !== null && (!keys || isIn(value, keys));
      if (bar !== NONE) events.push({ bar, values: isCounted ? [value] : [] });
    }
  }
  return events;
}

interface ReadValues {
  /** An event that retention has deleted has none. */
  readonly rows: readonly ValuesRow[];
  /** How many of the numbers were read, from the first one on. */
  readonly read: number;
  readonly bytes: number;
}

/** Reads the values of a count in its part, of one event at least. */
async function readParts(
  database: Database,
  { accountId, field }: Count,
  numbers: readonly number[],
  maxBytes: number,
): Promise<ReadValues> {
  const { ignoreCase = false, members = [], source = "", type = "" } = field ?? {};
  const rows: ValuesRow[] = [];
  let [read, bytes] = [0, 0];
  while (read < numbers.length && (read === 0 || bytes < maxBytes)) {
    const asked = numbers.slice(read, read + MAX_NUMBERS);
    const most = Math.max(1, Math.min(MAX_BYTES, maxBytes - bytes));
    const params = [accountId, asked, source, members, type, ignoreCase, most] as const;
    // oxlint-disable-next-line no-await-in-loop -- each statement begins where the one before has ended
    const some = await database.run(readValues, [...params]);
    const last = some.at(-1);
    rows.push(...some);
    read += last && Number(last.bytes) >= most ? Number(last.place) : asked.length;
    bytes += Number(last?.bytes ?? 0);
  }
  return { rows, read, bytes };
}

/** What is counted of the events from a number on. */
function inPart({ bars, keys }: Count, rows: readonly ValuesRow[], from: number): CountedEvent[] {
  return rows
    .filter(({ number }) => Number(number) >= from)
    .map(({ occurred_at: time, values }) => ({
      bar: bars.ofTime(time),
      values: keys ? values.filter((value) => isIn(value, keys)) : values,
    }))
    .filter(({ bar }) => bar !== NONE);
}

/** Whether PostgreSQL finds a value in the range with the collation C. */
const isIn = (value: string, { before, since }: KeyRange): boolean =>
  byBytes(value, since) >= 0 && byBytes(value, before) < 0;
