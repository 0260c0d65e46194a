// The next events of an account that match a filter, for the records of an export: those of list-events.ts in
// ascending order, with binary columns as the hexadecimal text of the record, to save a conversion.

import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";
import {
  CHAIN_FIRST,
  type ListParams,
  type Matching,
  PAYLOADS_FIRST,
  type Reads,
} from "./list-events.ts";

/** Digests, hashes and salts in lower-case hex. */
export type RecordRow = {
  readonly [Column in keyof EventRow]: string;
};

const reading = (name: string, { from, number }: Matching) =>
  statement<ListParams, RecordRow>(
    `/* ledger.${name} */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at,
  encode(digests, 'hex') AS digests, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash,
  actor, context, diff, metadata, target, encode(salts, 'hex') AS salts
${from}
ORDER BY ${number}
LIMIT $14::integer
`,
    { customPlan: true },
  );

export const streamEvents: Reads<RecordRow> = {
  chainFirst: reading("stream-events", CHAIN_FIRST),
  payloadsFirst: reading("stream-events-by-payload", PAYLOADS_FIRST),
};
