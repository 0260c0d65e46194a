// Reads the head of a chain and holds its lock until the transaction ends. No row: the chain has no head yet.
// Appends exclude each other. A record excludes the filter index too, which holds the head FOR KEY SHARE.

import { statement } from "@annals/postgres";

export interface HeadRow {
  readonly sequence_number: string;
  readonly hash: Buffer;
  readonly created_at: string;
  readonly month_start: string;
}

export const lockHead = statement<[accountId: string], HeadRow>(
  `/* ledger.lock-head */
SELECT sequence_number, hash, created_at, month_start
FROM ledger.heads WHERE account_id = $1::text FOR NO KEY UPDATE
`,
  { route: "one account" },
);

export const lockHeadForRecord = statement<[accountId: string], HeadRow>(
  `/* ledger.lock-head-for-record */
SELECT sequence_number, hash, created_at, month_start
FROM ledger.heads WHERE account_id = $1::text FOR UPDATE
`,
  { route: "one account" },
);
