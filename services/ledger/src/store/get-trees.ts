// The trees of some accounts, in any order, and how far their chains reach.

import { statement } from "@annals/postgres";

export interface TreeRow {
  readonly account_id: string;
  readonly sequence_number: string;
  /** 0 and null if there is no tree yet. */
  readonly size: string;
  readonly frontier: Buffer | null;
}

export const getTrees = statement<[accountIds: readonly string[]], TreeRow>(
  `/* ledger.get-trees */
SELECT heads.account_id, heads.sequence_number, coalesce(trees.size, 0) AS size, trees.frontier
FROM ledger.heads LEFT JOIN ledger.trees ON trees.account_id = heads.account_id AND trees.account_id = ANY ($1::text[])
WHERE heads.account_id = ANY ($1::text[])
`,
  { route: "some accounts" },
);
