// Reads a range of a chain as stored, for verification and for replays. A row whose payload is missing is
// still returned. The payloads are looked up and not joined (list-events-by-time.ts says why).

import type { Copy, Part } from "@annals/event";
import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";

type Params = [accountId: string, fromSequence: string, toSequence: string, limit: number];

type PayloadColumn = Part | "salts";

/** The payload's columns are null where its row is missing. */
export type RangeRow = Omit<EventRow, PayloadColumn> & {
  readonly [Column in PayloadColumn]: EventRow[Column] | null;
} & Readonly<Record<Copy, string | null>>;

export const readRange = statement<Params, RangeRow>(`/* ledger.read-range */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts, actor_id, actor_type, target_id, target_type
FROM ledger.chain
LEFT JOIN LATERAL (
  SELECT actor, context, diff, metadata, target, salts, actor_id, actor_type, target_id, target_type
  FROM ledger.payloads
  WHERE payloads.account_id = $1::text AND payloads.sequence_number = chain.sequence_number
  LIMIT 1
) AS payload ON true
WHERE chain.account_id = $1::text AND chain.sequence_number BETWEEN $2::bigint AND $3::bigint
ORDER BY chain.sequence_number
LIMIT $4::integer
`);
