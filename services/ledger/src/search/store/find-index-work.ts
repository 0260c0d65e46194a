// Finds accounts whose filter index is behind their chains, among the next accounts after the given one. The
// last account of the page is in the result, too: the next page begins after it.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../rules/chunk.ts";

type Params = [afterAccountId: string, limit: number];

export interface IndexWorkRow {
  readonly account_id: string;
  /** The first chunk that is not indexed, and the first one that is not complete. */
  readonly next_chunk: string;
  readonly end_chunk: string;
  /** Accounts of the page. */
  readonly accounts: number;
}

export const findIndexWork = statement<Params, IndexWorkRow>(
  `/* ledger.find-index-work */
WITH page AS MATERIALIZED (
  SELECT account_id, sequence_number / ${CHUNK_SIZE} AS end_chunk,
    CASE WHEN sequence_number < ${CHUNK_SIZE} THEN 0 ELSE
      coalesce((SELECT max(chunk) FROM ledger.chunks WHERE chunks.account_id = heads.account_id) + 1, 0)
    END AS next_chunk
  FROM ledger.heads
  WHERE account_id > $1::text
  ORDER BY account_id
  LIMIT $2::integer
)
SELECT account_id, next_chunk, end_chunk, (SELECT count(*)::integer FROM page) AS accounts
FROM page
WHERE next_chunk < end_chunk OR account_id = (SELECT max(account_id) FROM page)
ORDER BY account_id
`,
  { route: "all accounts, read" },
);
