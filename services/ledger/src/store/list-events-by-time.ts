// One page of the events of an account that occurred within a time, by keyset on the sequence number, in
// either direction, where besides it there is at most a range of sequence numbers. The time blocks select
// what to search; what lies behind the last block is searched event by event. A null parameter does not
// filter. It has to return what list-events.ts returns, whatever blocks are filled.

import { type Statement, statement } from "@annals/postgres";
import { TIME_BLOCK_SIZE } from "../domain/time-block.ts";
import type { EventRow } from "./event-row.ts";

export type ListByTimeParams = [
  accountId: string,
  afterSequence: string | null,
  beforeSequence: string | null,
  occurredFrom: string | null,
  occurredTo: string | null,
  limit: number,
];

// The block of the number n is (n - 1) / 1024. A block that is not in the table yet has no times. The
// blocks are a query of their own so that PostgreSQL reads them one by one, in their order, for as
// long as the page is not full. The payloads are looked up and not joined: for an account that grew
// since the last ANALYZE PostgreSQL expects one row, and may join by reading all of it once a row.
const inOrder = (name: string, direction: "ASC" | "DESC"): Statement<ListByTimeParams, EventRow> =>
  statement(
    `/* ledger.${name} */
WITH blocks AS MATERIALIZED (
  SELECT block FROM (
    SELECT block, earliest, latest FROM ledger.time_blocks WHERE account_id = $1::text
    UNION ALL
    SELECT generate_series(
      (SELECT coalesce(max(block) + 1, 0) FROM ledger.time_blocks WHERE account_id = $1::text),
      (SELECT max(sequence_number) / ${TIME_BLOCK_SIZE} FROM ledger.chain WHERE account_id = $1::text)
    ), NULL, NULL
  ) AS all_blocks
  WHERE ($2::bigint IS NULL OR block >= $2::bigint / ${TIME_BLOCK_SIZE})
    AND ($3::bigint IS NULL OR block <= $3::bigint / ${TIME_BLOCK_SIZE})
    AND ($4::text IS NULL OR latest >= $4::text IS NOT FALSE)
    AND ($5::text IS NULL OR earliest < $5::text IS NOT FALSE)
  ORDER BY block ${direction}
)
SELECT found.*, actor, context, diff, metadata, target, salts
FROM (
  SELECT events.* FROM blocks
  CROSS JOIN LATERAL (
    SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash
    FROM ledger.chain
    WHERE account_id = $1::text
      AND sequence_number > ${TIME_BLOCK_SIZE} * block AND sequence_number <= ${TIME_BLOCK_SIZE} * (block + 1)
      AND ($2::bigint IS NULL OR sequence_number > $2::bigint)
      AND ($3::bigint IS NULL OR sequence_number < $3::bigint)
      AND ($4::text IS NULL OR occurred_at >= $4::text)
      AND ($5::text IS NULL OR occurred_at < $5::text)
      AND (SELECT true FROM ledger.payloads
        WHERE payloads.account_id = $1::text AND payloads.sequence_number = chain.sequence_number LIMIT 1)
    ORDER BY sequence_number ${direction}
    LIMIT $6::integer
  ) AS events
  ORDER BY block ${direction}, sequence_number ${direction}
  LIMIT $6::integer
) AS found
CROSS JOIN LATERAL (
  SELECT actor, context, diff, metadata, target, salts FROM ledger.payloads
  WHERE account_id = $1::text AND payloads.sequence_number = found.sequence_number
  LIMIT 1
) AS payload
ORDER BY sequence_number ${direction}
`,
    { customPlan: true },
  );

export const listEventsByTimeAscending = inOrder("list-events-by-time-ascending", "ASC");
export const listEventsByTimeDescending = inOrder("list-events-by-time-descending", "DESC");
