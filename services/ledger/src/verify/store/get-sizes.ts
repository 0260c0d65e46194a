// How many events a chain and its tree have, in one snapshot: a tree that has more was never made from this
// chain. Called by find-cut.ts.

import { statement } from "@annals/postgres";

export interface SizesRow {
  /** 0 if there is no head, or no tree. */
  readonly chain: string;
  readonly tree: string;
}

export const getSizes = statement<[accountId: string], SizesRow>(
  `/* ledger.get-sizes */
SELECT coalesce(heads.sequence_number, 0) AS chain, coalesce(trees.size, 0) AS tree
FROM (VALUES (1)) AS one
LEFT JOIN ledger.heads ON heads.account_id = $1::text
LEFT JOIN ledger.trees ON trees.account_id = $1::text
`,
  { route: "one account" },
);
