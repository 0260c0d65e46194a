// The end of an account's chain, and where its month began. No row: the chain has no event yet.

import { statement } from "@annals/postgres";

interface UsageRow {
  readonly sequence_number: string;
  readonly created_at: string;
  readonly month_start: string;
}

export const getUsage = statement<[accountId: string], UsageRow>(
  `/* ledger.get-usage */
SELECT sequence_number, created_at, month_start FROM ledger.heads WHERE account_id = $1::text
`,
  { route: "one account" },
);
