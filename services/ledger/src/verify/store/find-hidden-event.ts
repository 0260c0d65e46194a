// The first event of a range that lists would skip, because the filter index does not agree with the chain: a
// posting or a time of its chunk was changed or is missing. No row: lists skip no event, or the chunk is not
// indexed yet. The range has to be within one chunk. Superfluous postings hide nothing: a list compares every
// event with its filter.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../../search/rules/chunk.ts";

type Params = [
  accountId: string,
  chunk: string,
  /** Both ends are included. */
  fromSequence: string,
  toSequence: string,
];

export interface HiddenEventRow {
  readonly sequence_number: string;
  readonly id: string;
}

// The postings are made again as the function `ledger.index_chunk` makes them. Most are equal, so few
// ordinals are compared. The LIMITs leave out no row: for an account that has grown since the last ANALYZE,
// PostgreSQL expects one row, and may join by reading the whole account for each row.
export const findHiddenEvent = statement<Params, HiddenEventRow>(
  `/* ledger.find-hidden-event */
SELECT event.sequence_number, event.id
FROM (
  SELECT min(sequence_number) AS first
  FROM (
    SELECT $2::bigint * ${CHUNK_SIZE} + 1 + ordinal AS sequence_number
    FROM (
      WITH copies AS MATERIALIZED (
        SELECT ((sequence_number - 1) % ${CHUNK_SIZE})::smallint AS ordinal, '0'::xid AS hashed, action, actor_id,
          actor_type, target_id, target_type
        FROM ledger.events
        WHERE account_id = $1::text
          AND sequence_number > $2::bigint * ${CHUNK_SIZE}
          AND sequence_number <= ($2::bigint + 1) * ${CHUNK_SIZE}
        ORDER BY sequence_number
      )
      SELECT 'action' COLLATE "C" AS field, action AS value, array_agg(ordinal) AS ordinals
      FROM copies WHERE action IS NOT NULL GROUP BY action, hashed
      UNION ALL
      SELECT 'actor_id' COLLATE "C", actor_id, array_agg(ordinal)
      FROM copies WHERE actor_id IS NOT NULL GROUP BY actor_id, hashed
      UNION ALL
      SELECT 'actor_type' COLLATE "C", actor_type, array_agg(ordinal)
      FROM copies WHERE actor_type IS NOT NULL GROUP BY actor_type, hashed
      UNION ALL
      SELECT 'target_id' COLLATE "C", target_id, array_agg(ordinal)
      FROM copies WHERE target_id IS NOT NULL GROUP BY target_id, hashed
      UNION ALL
      SELECT 'target_type' COLLATE "C", target_type, array_agg(ordinal)
      FROM copies WHERE target_type IS NOT NULL GROUP BY target_type, hashed
    ) AS expected
    LEFT JOIN LATERAL (
      SELECT postings.ordinals FROM ledger.postings
      WHERE account_id = $1::text AND field = expected.field AND value = expected.value AND chunk = $2::bigint
      LIMIT 1
    ) AS stored ON true
    CROSS JOIN LATERAL unnest(expected.ordinals) AS ordinal
    WHERE expected.ordinals IS DISTINCT FROM stored.ordinals
      AND (ordinal = ANY (stored.ordinals)) IS NOT TRUE
    UNION ALL
    SELECT sequence_number FROM (
      SELECT sequence_number, occurred_at, received_at FROM ledger.events
      WHERE account_id = $1::text AND sequence_number BETWEEN $3::bigint AND $4::bigint
      ORDER BY sequence_number
    ) AS events
    WHERE (occurred_at BETWEEN
      (SELECT earliest FROM ledger.chunks WHERE account_id = $1::text AND chunk = $2::bigint) AND
      (SELECT latest FROM ledger.chunks WHERE account_id = $1::text AND chunk = $2::bigint)
      AND received_at BETWEEN
      (SELECT first_received FROM ledger.chunks WHERE account_id = $1::text AND chunk = $2::bigint) AND
      (SELECT last_received FROM ledger.chunks WHERE account_id = $1::text AND chunk = $2::bigint)) IS NOT TRUE
  ) AS hidden
  WHERE sequence_number BETWEEN $3::bigint AND $4::bigint
    AND $2::bigint <= (SELECT max(chunk) FROM ledger.chunks WHERE account_id = $1::text)
) AS found
CROSS JOIN LATERAL (
  SELECT sequence_number, id FROM ledger.events
  WHERE account_id = $1::text AND sequence_number = found.first
  LIMIT 1
) AS event
`,
  { route: "one account", customPlan: true },
);
