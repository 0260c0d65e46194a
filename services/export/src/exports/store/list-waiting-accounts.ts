// The accounts with an export that may be taken, in the order of their turns: those with no export that is
// being written first, then those whose last turn was longest ago. So the queue of one account delays no
// other account.

import { statement } from "@annals/postgres";

export const listWaitingAccounts = statement<[limit: number], { readonly account_id: string }>(
  `/* exports.list-waiting-accounts */
SELECT account_id FROM exports.jobs AS waiting
WHERE status IN ('pending', 'running')
GROUP BY account_id
HAVING min(due_at) <= statement_timestamp()
ORDER BY bool_or(status = 'running' AND due_at > statement_timestamp()),
  (SELECT max(taken_at) FROM exports.jobs WHERE jobs.account_id = waiting.account_id) NULLS FIRST,
  min(due_at), account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);
