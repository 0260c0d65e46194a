// Number of the last event before an account's records. No row: the account has no record.

import { statement } from "@annals/postgres";

export const getRecordsFrom = statement<[accountId: string], { readonly records_from: string }>(
  `/* ledger.get-records-from */
SELECT records_from FROM ledger.lifecycles WHERE account_id = $1::text
`,
  { route: "one account" },
);
