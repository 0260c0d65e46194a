// The next accounts after the given one whose chains can have records, with the number of the last event
// before these.

import { statement } from "@annals/postgres";

interface RecordedRow {
  readonly account_id: string;
  readonly records_from: string;
}

export const listRecordedAccounts = statement<[afterAccountId: string, limit: number], RecordedRow>(
  `/* ledger.list-recorded-accounts */
SELECT account_id, records_from FROM ledger.lifecycles
WHERE account_id > $1::text
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
