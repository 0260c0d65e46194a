// Checks records of an export one by one: whatever of an event can be checked without the events before it.
// Called by check-pool.ts in this thread, and by check-worker.ts in worker threads.

import { BadLine } from "./bad-line.ts";
import type { CheckedEvent } from "./checked-event.ts";
import type { Checker } from "./checker.ts";
import { csvChecker } from "./csv-record.ts";
import { jsonlChecker } from "./jsonl-record.ts";
import { type Piece, recordOf } from "./records.ts";

export type Format = "jsonl" | "csv";

export function checkerOf(format: Format): Checker {
  return format === "csv" ? csvChecker() : jsonlChecker();
}

/** Events, one record each. */
export interface Records extends Pick<Piece, "bytes" | "bounds"> {
  /** The chain that they must belong to; by default that of the first event. */
  readonly chain: string | undefined;
}

/** Sent to a worker thread in place of records, it ends the thread. */
export const END = "end";

export interface Checked {
  /** The events before the first invalid record. */
  readonly events: readonly CheckedEvent[];
  /** What is wrong with the record after them. */
  readonly fault: string | undefined;
  readonly chain: string | undefined;
}

export function checkRecords(checker: Checker, records: Records): Checked {
  const events: CheckedEvent[] = [];
  let { chain } = records;
  try {
    for (let at = 0; 2 * at < records.bounds.length; at += 1) {
      const { chain: own, ...event } = checker.check(recordOf(records, at), chain);
      chain ??= own;
      events.push(event);
    }
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return { events, fault: error.message, chain };
  }
  return { events, fault: undefined, chain };
}
