// The next events of an account, for the records of an export: read as in list-events.ts, in ascending order,
// with binary columns as the hexadecimal text of the record, to save a conversion.

import type { EventRow } from "./event-row.ts";
import { type Reads, readingNumbers, readingRange } from "./list-events.ts";

/** Digests, hashes and salts in lower-case hex. */
export type RecordRow = Pick<EventRow, "erased"> & {
  readonly [Column in Exclude<keyof EventRow, "erased">]: string;
};

const COLUMNS = `sequence_number, id, action, occurred_at, received_at, created_at,
  encode(digests, 'hex') AS digests, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash,
  actor, context, diff, metadata, target, encode(salts, 'hex') AS salts, erased`;

export const streamEvents: Omit<Reads<RecordRow>, "descending"> = {
  ascending: readingRange("stream-events", COLUMNS, "ASC"),
  numbers: readingNumbers("stream-events-of-numbers", COLUMNS),
};
