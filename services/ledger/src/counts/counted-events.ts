// Compares events, given by their numbers, with the filter of a count, and reads what is counted of those
// that match. Called by walk.ts and start.ts for what the filter index cannot decide, within a budget.

import { byBytes } from "@annals/contract";
import type { Database } from "@annals/postgres";
import type { Budget } from "../search/budget.ts";
import { type Compared, compared } from "../search/compared.ts";
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
  const events = counts.map((): CountedEvent[] => []);
  const asked = numbers.slice(0, Math.max(1, budget.events));
  let end = Infinity;
  for await (const { numbers: some, reached } of steps(database, counts, asked, budget)) {
    const { events: found, readTo } = await readEvents(database, counts, some, budget);
    for (const [at, each] of found.entries()) events[at]?.push(...each);
    end = readTo ?? reached;
    if (readTo !== undefined || budget.rows.isSpent || budget.valueBytes <= 0) break;
  }
  const done = asked.filter((number) => number >= end).length;
  budget.events -= done;
  return { events, compared: done };
}

/** Those of the numbers that may match: what reads an event compares its columns, too. */
async function* steps(
  database: Database,
  [{ accountId, filter }]: Counts,
  numbers: readonly number[],
  { rows }: EventBudget,
): AsyncGenerator<Compared> {
  const last = numbers.at(-1);
  if (last === undefined) return;
  if (hasText(filter) || inPartsOf(filter).length > 0) {
    const search = { accountId, ascending: false, filter };
    yield* compared({ database, search, budget: rows }, numbers, last);
    return;
  }
  for (let at = 0; at < numbers.length; at += MAX_NUMBERS) {
    const some = numbers.slice(at, at + MAX_NUMBERS);
    rows.spend(some.length * READ_COST);
    yield { numbers: some, reached: some.at(-1) ?? last };
  }
}

interface Read {
  readonly events: readonly (readonly CountedEvent[])[];
  /** The last event of which the values of each count were read; undefined: all were read. */
  readonly readTo: number | undefined;
}

/** What is counted of some events, as far as their parts fit into the budget: of one at least. */
async function readEvents(
  database: Database,
  counts: Counts,
  numbers: readonly number[],
  budget: EventBudget,
): Promise<Read> {
  if (numbers.length === 0) return { events: [], readTo: undefined };
  const inParts = counts.filter((count) => !isColumn(count));
  const maxBytes = Math.floor(budget.valueBytes / Math.max(1, inParts.length));
  const values = new Map<Count, ReadValues>();
  for (const count of inParts)
    // oxlint-disable-next-line no-await-in-loop -- they share the turns of one request
    values.set(count, await readParts(database, count, numbers, maxBytes));
  for (const { bytes } of values.values()) budget.valueBytes -= bytes;
  const done = Math.min(numbers.length, ...[...values.values()].map(({ read }) => read));
  const readTo = done < numbers.length ? numbers[done - 1] : undefined;
  const columns = counts.some(isColumn)
    ? await readInColumns(database, counts, numbers.slice(0, done))
    : [];
  const events = counts.map((count) => {
    const rows = values.get(count)?.rows;
    return rows ? inPart(count, rows, readTo ?? 0) : inColumn(count, columns);
  });
  return { events, readTo };
}

/** Events whose columns were read together. */
interface ReadColumns {
  readonly bars: readonly number[];
  readonly columns: ColumnsRow;
}

async function readInColumns(
  database: Database,
  counts: Counts,
  numbers: readonly number[],
): Promise<ReadColumns[]> {
  const [{ accountId, bars, filter }] = counts;
  const columns = counts.filter(isColumn).map(({ field }) => field?.source ?? "");
  const params = [accountId, numbers, columns, ...filterParams(filter)] as const;
  const rows = await database.run(readColumns, [...params]);
  return rows.map((row) => ({
    bars: (row.occurred_at ?? []).map((time) => bars.ofTime(time)),
    columns: row,
  }));
}

function inColumn({ field, keys }: Count, read: readonly ReadColumns[]): CountedEvent[] {
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
  readonly rows: readonly ValuesRow[];
  /** How many of the numbers were read, from the first one on. */
  readonly read: number;
  readonly bytes: number;
}

/** Reads the values of a count in its part, of one event at least. */
async function readParts(
  database: Database,
  { accountId, field, filter }: Count,
  numbers: readonly number[],
  maxBytes: number,
): Promise<ReadValues> {
  const { ignoreCase = false, members = [], source = "", type = "" } = field ?? {};
  const rows: ValuesRow[] = [];
  let [read, bytes] = [0, 0];
  while (read < numbers.length && (read === 0 || bytes < maxBytes)) {
    const asked = numbers.slice(read, read + MAX_NUMBERS);
    const most = Math.max(1, Math.min(MAX_BYTES, maxBytes - bytes));
    const of = [accountId, asked, source, members, type, ignoreCase, most] as const;
    // oxlint-disable-next-line no-await-in-loop -- each statement begins where the one before has ended
    const [row] = await database.run(readValues, [...of, ...filterParams(filter)]);
    const size = Number(row?.bytes ?? 0);
    if (row) rows.push(row);
    const last = size >= most ? asked.indexOf(Number(row?.last)) + 1 : asked.length;
    read += last;
    bytes += size;
  }
  return { rows, read, bytes };
}

/** What is counted of the events from a number on. */
function inPart({ bars, keys }: Count, rows: readonly ValuesRow[], from: number): CountedEvent[] {
  const events: CountedEvent[] = [];
  for (const { numbers, occurred_at: times, values: found } of rows)
    for (const [at, number] of (numbers ?? []).entries()) {
      const bar = bars.ofTime(times?.[at] ?? "");
      const values = found?.[at] ?? [];
      if (number >= from && bar !== NONE)
        events.push({ bar, values: keys ? values.filter((value) => isIn(value, keys)) : values });
    }
  return events;
}

/** Whether PostgreSQL finds a value in the range with the collation C. */
const isIn = (value: string, { before, since }: KeyRange): boolean =>
  byBytes(value, since) >= 0 && byBytes(value, before) < 0;
