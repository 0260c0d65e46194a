// How far the filter index of some accounts is behind their chains, in the order of the accounts' ids, so
// that the worker can go from account to account.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../domain/chunk.ts";

type Params = [afterAccountId: string, limit: number];

export interface IndexWorkRow {
  readonly account_id: string;
  /** The first chunk that is not indexed, and the first one that is not complete. */
  readonly next_chunk: string;
  readonly end_chunk: string;
}

export const findIndexWork = statement<Params, IndexWorkRow>(
  `/* ledger.find-index-work */
SELECT accounts.account_id, coalesce(indexed.last_chunk + 1, 0) AS next_chunk,
  accounts.sequence_number / ${CHUNK_SIZE} AS end_chunk
FROM (
  SELECT account_id, sequence_number FROM ledger.heads
  WHERE account_id > $1::text
  ORDER BY account_id
  LIMIT $2::integer
) AS accounts
LEFT JOIN LATERAL (
  SELECT max(chunk) AS last_chunk FROM ledger.chunks WHERE chunks.account_id = accounts.account_id
) AS indexed ON true
ORDER BY accounts.account_id
`,
  { route: "all accounts, read" },
);
