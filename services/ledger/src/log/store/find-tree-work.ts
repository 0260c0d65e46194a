// Finds trees that are behind their chains, or beyond their ends, among the next accounts after the given
// one. The last account of the page is in the result, too: the next page begins after it.

import { statement } from "@annals/postgres";

type Params = [afterAccountId: string, limit: number];

export interface TreeWorkRow {
  readonly account_id: string;
  readonly lacking: string;
  /** Accounts of the page. */
  readonly accounts: number;
}

export const findTreeWork = statement<Params, TreeWorkRow>(
  `/* ledger.find-tree-work */
WITH page AS MATERIALIZED (
  SELECT heads.account_id, heads.sequence_number - coalesce(trees.size, 0) AS lacking
  FROM ledger.heads LEFT JOIN ledger.trees ON trees.account_id = heads.account_id
  WHERE heads.account_id > $1::text
  ORDER BY heads.account_id
  LIMIT $2::integer
)
SELECT account_id, lacking, (SELECT count(*)::integer FROM page) AS accounts
FROM page
WHERE lacking <> 0 OR account_id = (SELECT max(account_id) FROM page)
ORDER BY account_id
`,
  { route: "all accounts, read" },
);
