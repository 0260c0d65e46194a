// Takes the numbers of events that an erasure selects in the archives of an account: retention has deleted
// them, so no search of the ledger finds them (docs/lifecycle.md). They are recorded in batches, as those of
// stored events are. Called by rpc/report-erasure-matches.ts. It must never record an event twice if a
// report is repeated, nor one that a hold covers.

import { internal, invalid, notFound } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { AppendQueue } from "../append/append-queue.ts";
import { BATCH, eraseFound, NOTHING } from "./erase-found.ts";
import { MAX_EVENTS, numberOf, selectorOf } from "./rules/erasure.ts";
import { type ErasableRow, listErasable } from "./store/erase.ts";
import {
  advanceReport,
  getReportedErasure,
  listDeletedMatches,
  type ReportedErasureRow,
} from "./store/erasure-matches.ts";

interface ReportDeps {
  readonly appends: Pick<AppendQueue, "record">;
  /** The pool of the account. */
  readonly database: Pool;
}

interface Report {
  readonly accountId: string;
  readonly id: string;
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Each number up to it is in this report or in one before; 0: up to the last one of `numbers`. */
  readonly through: number;
}

/** Throws `not_found`, and `invalid`, which names the member at fault. Batches before a failure stay. */
export async function reportMatches(
  { appends, database }: ReportDeps,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const { accountId, id, through } = report;
  const row = await openErasure(database, report);
  const numbers = newNumbers(row, report.numbers);
  for (let at = 0; at < numbers.length; at += BATCH) {
    signal.throwIfAborted();
    const batch = numbers.slice(at, at + BATCH);
    // oxlint-disable-next-line no-await-in-loop -- one record at a time
    await appends.record(accountId, (transaction) => decide(transaction, report, batch));
  }
  const reached = Math.min(through, Number(row.up_to_sequence));
  if (reached > Number(row.reported_through))
    await advance(database, { accountId, id, reached: String(reached) });
}

/** Runs under the lock of the head. Another call may have reported the same numbers meanwhile. */
async function decide(transaction: Database, report: Report, batch: readonly number[]) {
  const { accountId, id } = report;
  const row = await openErasure(transaction, report);
  const numbers = newNumbers(row, batch);
  const reached = numbers.at(-1);
  if (reached === undefined || row.selector === null) return undefined;
  const { actorId = null, targetId = null } = selectorOf(row.selector);
  const params = [accountId, numbers, row.parts, actorId, targetId] as const;
  // In this order: an event that is deleted between the two is in one of them.
  const stored = await transaction.run(listErasable, [...params]);
  const deleted = await transaction.run(listDeletedMatches, [accountId, numbers]);
  const found = inOrder(stored, deleted);
  requireFew(row, found.length);
  const erasing = {
    accountId,
    id,
    parts: row.parts,
    reference: row.reference ?? undefined,
    actor: JSON.parse(row.actor),
  };
  const free = deleted.filter(({ hold }) => hold === null).length;
  return eraseFound(transaction, erasing, found, (done) =>
    advance(transaction, { accountId, id, reached: String(reached), deleted: free, ...done }),
  );
}

/** Throws `not_found`, and `invalid` unless the request waits for the export service. */
async function openErasure(
  database: Database,
  { accountId, id, numbers }: Report,
): Promise<ReportedErasureRow> {
  const [row] = await database.run(getReportedErasure, [accountId, id]);
  if (!row) throw notFound("erasure", id);
  if (!row.awaits_exports || row.selector === null) {
    const message = `is ${row.status}, and does not wait for the export service`;
    throw invalid({ field: "erasure_id", message });
  }
  const last = numbers.at(-1);
  if (last === undefined) return row;
  const only = numberOf(selectorOf(row.selector));
  if (only !== undefined && numbers.some((number) => number !== only)) {
    const message = `must be ${only} alone: the erasure is of one event`;
    throw invalid({ field: "sequences", message });
  }
  if (last > Number(row.up_to_sequence)) {
    const message = `must not be above ${row.up_to_sequence}, where the erasure ends`;
    throw invalid({ field: "sequences", message });
  }
  return row;
}

function newNumbers(
  { reported_through: through }: ReportedErasureRow,
  numbers: readonly number[],
): number[] {
  return numbers.filter((number) => number > Number(through));
}

function requireFew({ counted }: ReportedErasureRow, more: number): void {
  if (Number(counted) + more <= MAX_EVENTS) return;
  const message = `are more than the ${MAX_EVENTS} events of an erasure, of which it has ${counted}`;
  throw invalid({ field: "sequences", message });
}

/**
 * Each number once. An event that was deleted meanwhile counts as deleted. Stored events that are held were
 * counted by the batches before.
 */
function inOrder(stored: readonly ErasableRow[], deleted: readonly ErasableRow[]): ErasableRow[] {
  const free = stored.filter(({ hold }) => hold === null);
  const rows = new Map([...free, ...deleted].map((row) => [row.sequence_number, row]));
  return [...rows.values()].toSorted(
    (a, b) => Number(a.sequence_number) - Number(b.sequence_number),
  );
}

interface Advanced {
  readonly accountId: string;
  readonly id: string;
  readonly reached: string;
  readonly deleted?: number;
  readonly erased?: string;
  readonly held?: number;
  readonly record?: string;
}

/** Throws if the request has been confirmed meanwhile: then nothing of the batch is stored. */
async function advance(database: Database, given: Advanced): Promise<void> {
  const { accountId, deleted, erased, held, id, reached, record } = { ...NOTHING, ...given };
  const isRecorded = record !== NOTHING.record;
  const counts = [erased, isRecorded ? (deleted ?? 0) : 0, held, record] as const;
  const [advanced] = await database.run(advanceReport, [accountId, id, reached, ...counts]);
  if (!advanced) throw internal(`the erasure ${id} no longer waits for the export service`);
}
