// The accounts whose verification, or whose erasure, has been due for longest, the longest first. Called by
// rpc/report-state.ts.

import { statement } from "@annals/postgres";

interface AccountRow {
  readonly account_id: string;
}

export const listLateVerifications = statement<[limit: number], AccountRow>(
  `/* ledger.list-late-verifications */
SELECT account_id FROM ledger.verifications
WHERE due_at < statement_timestamp()
ORDER BY due_at, account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);

export const listLateErasures = statement<[limit: number], AccountRow>(
  `/* ledger.list-late-erasures */
SELECT account_id FROM ledger.erasures
WHERE status IN ('pending', 'running') AND begins_at < statement_timestamp()
GROUP BY account_id
ORDER BY min(begins_at), account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);
