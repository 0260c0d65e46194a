// The next chains after the given account, in the order of the accounts' ids, with how far each tree is
// behind its chain. The worker goes from account to account, so also those whose tree is complete are
// listed.

import { statement } from "@annals/postgres";

type Params = [afterAccountId: string, limit: number];

export interface TreeWorkRow {
  readonly account_id: string;
  readonly lacking: string;
}

export const findTreeWork = statement<Params, TreeWorkRow>(
  `/* ledger.find-tree-work */
SELECT heads.account_id, heads.sequence_number - coalesce(trees.size, 0) AS lacking
FROM ledger.heads LEFT JOIN ledger.trees ON trees.account_id = heads.account_id
WHERE heads.account_id > $1::text
ORDER BY heads.account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
