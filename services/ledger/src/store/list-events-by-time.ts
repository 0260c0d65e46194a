// One page of the events of an account that occurred within a time, by keyset on the sequence number, in
// either direction, where besides it there is at most a range of sequence numbers. The chunks of the filter
// index select what to search; what lies behind the last chunk is searched event by event. A null parameter
// does not filter. It has to return what list-events.ts returns, however far the index is.

import { type Statement, statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../domain/chunk.ts";
import type { EventRow } from "./event-row.ts";

export type ListByTimeParams = [
  accountId: string,
  afterSequence: string | null,
  beforeSequence: string | null,
  occurredFrom: string | null,
  occurredTo: string | null,
  limit: number,
];

// The chunk of the number n is (n - 1) / 4096. A chunk that is not in the table yet has no times. The
// chunks are a query of their own so that PostgreSQL reads them one by one, in their order, for as
// long as the page is not full. The payloads are looked up and not joined: for an account that grew
// since the last ANALYZE PostgreSQL expects one row, and may join by reading all of it once a row.
const inOrder = (name: string, direction: "ASC" | "DESC"): Statement<ListByTimeParams, EventRow> =>
  statement(
    `/* ledger.${name} */
WITH candidates AS MATERIALIZED (
  SELECT chunk FROM (
    SELECT chunk, earliest, latest FROM ledger.chunks WHERE account_id = $1::text
    UNION ALL
    SELECT generate_series(
      (SELECT coalesce(max(chunk) + 1, 0) FROM ledger.chunks WHERE account_id = $1::text),
      (SELECT max(sequence_number) / ${CHUNK_SIZE} FROM ledger.chain WHERE account_id = $1::text)
    ), NULL, NULL
  ) AS all_chunks
  WHERE ($2::bigint IS NULL OR chunk >= $2::bigint / ${CHUNK_SIZE})
    AND ($3::bigint IS NULL OR chunk <= $3::bigint / ${CHUNK_SIZE})
    AND ($4::text IS NULL OR latest >= $4::text IS NOT FALSE)
    AND ($5::text IS NULL OR earliest < $5::text IS NOT FALSE)
  ORDER BY chunk ${direction}
)
SELECT found.*, actor, context, diff, metadata, target, salts
FROM (
  SELECT events.* FROM candidates
  CROSS JOIN LATERAL (
    SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash
    FROM ledger.chain
    WHERE account_id = $1::text
      AND sequence_number > ${CHUNK_SIZE} * chunk AND sequence_number <= ${CHUNK_SIZE} * (chunk + 1)
      AND ($2::bigint IS NULL OR sequence_number > $2::bigint)
      AND ($3::bigint IS NULL OR sequence_number < $3::bigint)
      AND ($4::text IS NULL OR occurred_at >= $4::text)
      AND ($5::text IS NULL OR occurred_at < $5::text)
      AND (SELECT true FROM ledger.payloads
        WHERE payloads.account_id = $1::text AND payloads.sequence_number = chain.sequence_number LIMIT 1)
    ORDER BY sequence_number ${direction}
    LIMIT $6::integer
  ) AS events
  ORDER BY chunk ${direction}, sequence_number ${direction}
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
