// The trees of accounts: a page of all of them, in the order of the accounts' ids, and those of some
// accounts.

import { statement } from "@annals/postgres";

export interface TreeHeadRow {
  readonly account_id: string;
  readonly size: string;
  readonly root: Buffer;
}

export const listTreeHeads = statement<[afterAccountId: string, limit: number], TreeHeadRow>(
  `/* ledger.list-tree-heads */
SELECT account_id, size, root FROM ledger.trees
WHERE account_id > $1::text
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);

export const getTreeHeads = statement<[accountIds: readonly string[]], TreeHeadRow>(
  `/* ledger.get-tree-heads */
SELECT account_id, size, root FROM ledger.trees
WHERE account_id = ANY ($1::text[])
`,
  { route: "some accounts" },
);

type Page = [bucket: number, afterAccountId: string, limit: number];

/** A page of the accounts of one bucket of the map of heads. */
export const listBucket = statement<Page, { readonly account_id: string }>(
  `/* ledger.list-bucket */
SELECT account_id FROM ledger.trees
WHERE bucket = $1::smallint AND account_id > $2::text
ORDER BY account_id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);
