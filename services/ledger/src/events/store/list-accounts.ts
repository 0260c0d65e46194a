// Lists the accounts that have a chain, after one. Called by rpc/list-accounts.ts.

import { statement } from "@annals/postgres";

export const listAccounts = statement<
  [afterAccountId: string, limit: number],
  { readonly account_id: string }
>(
  `/* ledger.list-accounts */
SELECT account_id FROM ledger.heads
WHERE account_id > $1::text AND sequence_number > 0
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
