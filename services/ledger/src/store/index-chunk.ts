// Adds a chunk of a chain to the filter index, provided that the previous chunk is indexed: a list would skip
// a missing chunk in between. Returns a row if it added the chunk. Every sequence number of the chunk has to
// be stored. If another replica indexes the same chunk at the same time, only one of them adds it.
//
// ORDER BY makes PostgreSQL read the primary key even for an account that its statistics show as empty,
// because the account has grown since the last ANALYZE.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../domain/chunk.ts";

type Params = [accountId: string, chunk: string];

export const indexChunk = statement<Params, object>(
  `/* ledger.index-chunk */
WITH indexed AS (
  INSERT INTO ledger.chunks (account_id, chunk, earliest, latest)
  SELECT $1::text, $2::bigint, min(occurred_at), max(occurred_at)
  FROM (
    SELECT occurred_at FROM ledger.events
    WHERE account_id = $1::text
      AND sequence_number > $2::bigint * ${CHUNK_SIZE}
      AND sequence_number <= ($2::bigint + 1) * ${CHUNK_SIZE}
    ORDER BY sequence_number
  ) AS events
  WHERE ($2::bigint = 0 OR EXISTS (
    SELECT FROM ledger.chunks WHERE account_id = $1::text AND chunk = $2::bigint - 1))
  HAVING count(*) = ${CHUNK_SIZE}
  ON CONFLICT (account_id, chunk) DO NOTHING
  RETURNING account_id, chunk
), posted AS (
  INSERT INTO ledger.postings (account_id, field, value, chunk, ordinals)
  SELECT account_id, field, value, chunk, ordinals
  FROM indexed CROSS JOIN LATERAL ledger.postings_of($1::text, $2::bigint)
)
SELECT FROM indexed
`,
  { route: "one account", customPlan: true },
);
