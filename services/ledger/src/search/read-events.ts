// Reads events of an account with their parts, by a range or by their numbers, as many as fit into a number
// of bytes. Called by read-page.ts and stream-pages.ts, and by handlers that read events or ask what
// retention has deleted.

import { internal } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { EventFilter } from "./rules/event-filter.ts";
import { getLifecycle } from "../store/lifecycles.ts";
import type { Measured, Reads } from "../store/list-events.ts";
import { readEnds } from "../store/read-ends.ts";
import { filterParams, type Search } from "./matches.ts";

interface StoredRow {
  readonly sequence_number: string;
}

/** Limits of one statement. */
export interface Limits {
  readonly rows: number;
  readonly bytes: number;
}

export interface Events<Row> {
  readonly rows: readonly Row[];
  /** Whether more events exist that did not fit. */
  readonly isCut: boolean;
}

type RangeReads<Row> = Pick<Reads<Row>, "ascending"> & Partial<Pick<Reads<Row>, "descending">>;

/**
 * Reads at least one event, if the range has one. Rejects if an event of the range is missing, unless
 * retention has deleted it.
 */
export async function readRangeOf<Row extends StoredRow>(
  database: Database,
  { accountId, filter, ascending }: Search,
  reads: RangeReads<Row>,
  limits: Limits,
): Promise<Events<Row>> {
  const { afterSequence, beforeSequence } = filter;
  const from = (afterSequence ?? 0n) + 1n;
  const to = beforeSequence === undefined ? null : beforeSequence - 1n;
  const statement = ascending ? reads.ascending : reads.descending;
  if (!statement) throw internal("these events can be read in ascending order only");
  const range = [`${from}`, to === null ? null : `${to}`] as const;
  const read = () => database.run(statement, [accountId, ...range, limits.rows, limits.bytes]);
  let rows = await read();
  let first = ascending ? Number(from) : Number(rows[0]?.sequence_number ?? 0);
  // The first row must be the last event of the range, unless the range goes beyond the head.
  if (!ascending && to !== null && first !== Number(to)) {
    const [ends] = await database.run(readEnds, [accountId]);
    if (Number(ends?.head_sequence ?? 0) >= Number(to)) {
      rows = await read();
      first = Number(to);
    }
  }
  // A range may begin before the events that retention has left. It costs nothing if it does not.
  const next = Number(rows[0]?.sequence_number ?? first);
  if (ascending && next > first) {
    const deleted = await deletedThrough(database, accountId);
    if (next <= deleted + 1) first = next;
  }
  refuseHole(accountId, rows, first, ascending ? 1 : -1);
  return { rows, isCut: isFull(rows, limits.bytes) && rows.length < limits.rows };
}

/** The last event that retention has deleted; 0: it has deleted none. */
export async function deletedThrough(database: Database, accountId: string): Promise<number> {
  const [lifecycle] = await database.run(getLifecycle, [accountId]);
  return Number(lifecycle?.deleted_through ?? 0);
}

/** The first event that retention has left, if it has deleted the one with this number. */
export async function retainedAfter(
  database: Database,
  accountId: string,
  number: bigint,
): Promise<bigint | undefined> {
  const deleted = BigInt(await deletedThrough(database, accountId));
  return number <= deleted ? deleted + 1n : undefined;
}

/** Reads the events that match, in the order of the numbers. There may be fewer of them than numbers. */
export async function readNumbers<Row extends StoredRow>(
  database: Database,
  { accountId, filter }: { readonly accountId: string; readonly filter: EventFilter },
  reads: Pick<Reads<Row>, "numbers">,
  asked: { readonly numbers: readonly number[]; readonly bytes: number },
): Promise<Events<Row>> {
  const { numbers, bytes } = asked;
  if (numbers.length === 0) return { rows: [], isCut: false };
  const filters = filterParams(filter);
  const rows = await database.run(reads.numbers, [accountId, numbers, bytes, ...filters]);
  const isLast = Number(rows.at(-1)?.sequence_number) === numbers.at(-1);
  return { rows, isCut: isFull(rows, bytes) && !isLast };
}

function isFull(rows: readonly Measured[], bytes: number): boolean {
  return Number(rows.at(-1)?.bytes ?? 0) >= bytes;
}

/**
 * Throws if a page of all events of a range lacks one: a list without it would look complete. The page may
 * end before the range does. Verification finds what is missing at the head.
 */
function refuseHole(accountId: string, page: readonly StoredRow[], first: number, step: 1 | -1) {
  for (const [index, { sequence_number: number }] of page.entries()) {
    const expected = first + index * step;
    if (Number(number) !== expected)
      throw internal(`the chain of ${accountId} lacks event ${expected}: verify the chain`);
  }
}
