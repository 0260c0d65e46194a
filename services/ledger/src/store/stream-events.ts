// The next events of an account that match a filter, for the records of an export: those of list-events.ts in
// ascending order, with binary columns as the hexadecimal text of the record, to save a conversion.

import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";
import { type ListParams, MATCHING_EVENTS } from "./list-events.ts";

/** Digests, hashes and salts in lower-case hex. */
export type RecordRow = {
  readonly [Column in keyof EventRow]: string;
};

export const streamEvents = statement<ListParams, RecordRow>(
  `/* ledger.stream-events */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at,
  encode(digests, 'hex') AS digests, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash,
  actor, context, diff, metadata, target, encode(salts, 'hex') AS salts
${MATCHING_EVENTS}
ORDER BY chain.sequence_number
LIMIT $14::integer
`,
  { customPlan: true },
);
