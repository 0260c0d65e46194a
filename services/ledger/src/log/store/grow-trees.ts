// Stores the trees of some accounts that still have the given size, and the first tree of an account. Any
// other tree stays as it is: another replica was first.

import { statement } from "@annals/postgres";

export type GrownTrees = [
  accountIds: readonly string[],
  sizesBefore: readonly string[],
  sizes: readonly string[],
  roots: readonly Buffer[],
  frontiers: readonly Buffer[],
];

type NewTree = [accountId: string, size: string, root: Buffer, frontier: Buffer, bucket: number];

export const createTree = statement<NewTree, never>(
  `/* ledger.create-tree */
INSERT INTO ledger.trees (account_id, size, root, frontier, bucket)
VALUES ($1::text, $2::bigint, $3::bytea, $4::bytea, $5::smallint)
ON CONFLICT (account_id) DO NOTHING
`,
  { route: "one account" },
);

export const growTrees = statement<GrownTrees, never>(
  `/* ledger.grow-trees */
WITH free AS MATERIALIZED (
  SELECT trees.account_id, given.size, given.root, given.frontier
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])
    AS given (account_id, size_before, size, root, frontier)
  JOIN ledger.trees ON trees.account_id = given.account_id AND trees.size = given.size_before
  WHERE trees.account_id = ANY ($1::text[])
  ORDER BY trees.account_id
  FOR UPDATE OF trees SKIP LOCKED
)
UPDATE ledger.trees SET size = free.size, root = free.root, frontier = free.frontier
FROM free
WHERE trees.account_id = ANY ($1::text[]) AND trees.account_id = free.account_id
`,
  { route: "some accounts" },
);
