// What a format of exports knows of its records. Implemented by jsonl-record.ts and csv-record.ts.

import type { CheckedEvent } from "./checked-event.ts";

/** How to check the records of one format. */
export interface Checker {
  /** The manifest's text, if the record holds it. */
  manifestIn(record: Buffer): string | undefined;
  /** The first record of a file, if the format has a header. */
  readonly header?: string;
  /** Throws BadLine. `chain` is the chain that the event must belong to. */
  check(record: Buffer, chain: string | undefined): CheckedEvent & { readonly chain?: string };
}
