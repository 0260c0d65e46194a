// How far the filter index of some accounts is behind their chains, in the order of the accounts' ids, so
// that the worker can go from account to account.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../rules/chunk.ts";

type Params = [afterAccountId: string, limit: number];

export interface IndexWorkRow {
  readonly account_id: string;
  /** The first chunk that is not indexed, and the first one that is not complete. */
  readonly next_chunk: string;
  readonly end_chunk: string;
}

export const findIndexWork = statement<Params, IndexWorkRow>(
  `/* ledger.find-index-work */
SELECT account_id, coalesce((SELECT max(chunk) FROM ledger.chunks WHERE chunks.account_id = heads.account_id) + 1, 0)
    AS next_chunk,
  sequence_number / ${CHUNK_SIZE} AS end_chunk
FROM ledger.heads
WHERE account_id > $1::text
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
