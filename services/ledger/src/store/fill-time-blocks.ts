// Adds the blocks of a chain from one to another to the time blocks, where the first of them follows
// a filled one: a list would skip a missing block in between. Every sequence number of them has to be
// stored. Another replica may add the same ones at the same time.
//
// ORDER BY makes PostgreSQL read the primary key also for an account that its statistics show as empty,
// because the account grew since the last ANALYZE.

import { statement } from "@annals/postgres";
import { TIME_BLOCK_SIZE } from "../domain/time-block.ts";

/** The end is excluded. */
type Params = [accountId: string, fromBlock: string, endBlock: string];

export const fillTimeBlocks = statement<Params, never>(
  `/* ledger.fill-time-blocks */
INSERT INTO ledger.time_blocks (account_id, block, earliest, latest)
SELECT account_id, (sequence_number - 1) / ${TIME_BLOCK_SIZE}, min(occurred_at), max(occurred_at)
FROM (
  SELECT account_id, sequence_number, occurred_at FROM ledger.chain
  WHERE account_id = $1::text
    AND sequence_number > $2::bigint * ${TIME_BLOCK_SIZE}
    AND sequence_number <= $3::bigint * ${TIME_BLOCK_SIZE}
  ORDER BY sequence_number
) AS events
WHERE ($2::bigint = 0 OR EXISTS (
    SELECT FROM ledger.time_blocks WHERE account_id = $1::text AND block = $2::bigint - 1))
GROUP BY 1, 2
ON CONFLICT (account_id, block) DO NOTHING
`,
  { customPlan: true },
);
