// The accounts with the most requests in their windows of the last minute, the busiest first. For an
// operator: a metric has no label for accounts.

import { statement } from "@annals/postgres";

export interface TopAccountRow {
  readonly account_id: string;
  readonly name: string;
  /** Requests that were admitted since the windows of its keys began. */
  readonly requests: string;
}

export const listTopAccounts = statement<[limit: number], TopAccountRow>(
  `/* keys.list-top-accounts */
SELECT account_id, accounts.name, sum(used) AS requests
FROM keys.accounts
JOIN keys.rate_windows USING (account_id)
WHERE started_at > statement_timestamp() - interval '1 minute'
GROUP BY account_id
ORDER BY sum(used) DESC, account_id
LIMIT $1::integer
`,
  { route: "local" },
);
