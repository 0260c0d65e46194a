// The next events of an account that match a filter, for the lines of an export: as
// list-events.ts lists them in ascending order, but what is binary comes as the hexadecimal text
// that a line shows, so that nobody turns it into bytes and back.

import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";
import type { ListParams } from "./list-events.ts";

/** Digests, hashes and salts in lower-case hex. */
export type LineRow = {
  readonly [Column in keyof EventRow]: string;
};

export const streamLines = statement<ListParams, LineRow>(
  `/* ledger.stream-lines */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at,
  encode(digests, 'hex') AS digests, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash,
  actor, context, diff, metadata, target, encode(salts, 'hex') AS salts
FROM ledger.chain
JOIN ledger.payloads USING (account_id, sequence_number)
WHERE chain.account_id = $1::text
  AND ($2::bigint IS NULL OR chain.sequence_number > $2::bigint AND payloads.sequence_number > $2::bigint)
  AND ($3::bigint IS NULL OR chain.sequence_number < $3::bigint AND payloads.sequence_number < $3::bigint)
  AND ($4::text IS NULL OR action = $4::text)
  AND ($5::text IS NULL OR action >= $5::text)
  AND ($6::text IS NULL OR action < $6::text)
  AND ($7::text IS NULL OR actor_id = $7::text)
  AND ($8::text IS NULL OR actor_type = $8::text)
  AND ($9::text IS NULL OR target_id = $9::text)
  AND ($10::text IS NULL OR target_type = $10::text)
  AND ($11::text IS NULL OR occurred_at >= $11::text)
  AND ($12::text IS NULL OR occurred_at < $12::text)
ORDER BY chain.sequence_number
LIMIT $13::integer
`,
  { plannedAnew: true },
);
