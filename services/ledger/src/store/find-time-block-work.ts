// How far the time blocks of some accounts are behind their chains, in the order of the accounts'
// ids, for the filler to go from account to account.

import { statement } from "@annals/postgres";
import { TIME_BLOCK_SIZE } from "../domain/time-block.ts";

type Params = [afterAccountId: string, limit: number];

export interface TimeBlockWorkRow {
  readonly account_id: string;
  /** The first block that is not filled, and the first one that is not complete. */
  readonly next_block: string;
  readonly end_block: string;
}

export const findTimeBlockWork = statement<
  Params,
  TimeBlockWorkRow
>(`/* ledger.find-time-block-work */
SELECT accounts.account_id, coalesce(filled.last_block + 1, 0) AS next_block,
  accounts.sequence_number / ${TIME_BLOCK_SIZE} AS end_block
FROM (
  SELECT account_id, sequence_number FROM ledger.heads
  WHERE account_id > $1::text
  ORDER BY account_id
  LIMIT $2::integer
) AS accounts
LEFT JOIN LATERAL (
  SELECT max(block) AS last_block FROM ledger.time_blocks WHERE time_blocks.account_id = accounts.account_id
) AS filled ON true
ORDER BY accounts.account_id
`);
