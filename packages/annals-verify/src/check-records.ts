// Checks records of an export one by one: everything of an event that can be checked without those
// before it. Called by check-pool.ts, in this thread, and by check-worker.ts, in others.

import { BadLine } from "./bad-line.ts";
import { csvChecker } from "./csv-record.ts";
import { jsonlChecker } from "./jsonl-record.ts";
import type { Place } from "./manifest.ts";
import { type Piece, recordOf } from "./records.ts";

export type Format = "jsonl" | "csv";

/** What a format knows of its records. */
export interface Checker {
  /** The manifest's text, where the record holds it. */
  manifestIn(record: Buffer): string | undefined;
  /** The first record of a file, where the format has one that is no event. */
  readonly header?: string;
  /** An event. Throws BadLine. `chain` is the one that it has to be of. */
  check(record: Buffer, chain: string | undefined): Place & { readonly chain?: string };
}

export function checkerOf(format: Format): Checker {
  return format === "csv" ? csvChecker() : jsonlChecker();
}

/** Events, one record each. */
export interface Records extends Pick<Piece, "bytes" | "bounds"> {
  /** The chain that they have to be of; undefined: that of the first of them. */
  readonly chain: string | undefined;
}

export interface Checked {
  /** Those before the first that is at fault. */
  readonly events: readonly Place[];
  /** What is wrong with the record that follows them. */
  readonly fault: string | undefined;
  readonly chain: string | undefined;
}

export function checkRecords(checker: Checker, records: Records): Checked {
  const events: Place[] = [];
  let { chain } = records;
  try {
    for (let at = 0; 2 * at < records.bounds.length; at += 1) {
      const event = checker.check(recordOf(records, at), chain);
      chain ??= event.chain;
      const { sequenceNumber, hash, previousHash } = event;
      events.push({ sequenceNumber, hash, previousHash });
    }
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return { events, fault: error.message, chain };
  }
  return { events, fault: undefined, chain };
}
