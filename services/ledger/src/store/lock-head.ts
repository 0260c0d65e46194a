// Reads the head of a chain and holds its lock until the transaction ends. No row: the chain has no head yet.

import { statement } from "@annals/postgres";

export interface HeadRow {
  readonly sequence_number: string;
  readonly hash: Buffer;
  readonly month: string;
  readonly month_start: string;
}

export const lockHead = statement<[accountId: string], HeadRow>(
  `/* ledger.lock-head */
SELECT sequence_number, hash, month, month_start
FROM ledger.heads WHERE account_id = $1::text FOR UPDATE
`,
  { route: "one account" },
);
