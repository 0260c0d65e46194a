// Reads a piece of a chain as it stands, for verification and for replays: a row whose payload is
// gone is still there.

import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";

type Params = [accountId: string, fromSequence: string, toSequence: string, limit: number];

/** The payload's columns are null where its row is missing. */
export type RangeRow = Omit<EventRow, PayloadColumn> & {
  readonly [C in PayloadColumn]: EventRow[C] | null;
} & {
  readonly actor_id: string | null;
  readonly actor_type: string | null;
  readonly target_id: string | null;
  readonly target_type: string | null;
};

type PayloadColumn = "actor" | "context" | "diff" | "metadata" | "target" | "salts";

export const readRange = statement<Params, RangeRow>(`/* ledger.read-range */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts, actor_id, actor_type, target_id, target_type
FROM ledger.chain
LEFT JOIN ledger.payloads
  ON payloads.account_id = chain.account_id
  AND payloads.sequence_number = chain.sequence_number
  AND payloads.sequence_number BETWEEN $2::bigint AND $3::bigint
WHERE chain.account_id = $1::text AND chain.sequence_number BETWEEN $2::bigint AND $3::bigint
ORDER BY chain.sequence_number
LIMIT $4::integer
`);
