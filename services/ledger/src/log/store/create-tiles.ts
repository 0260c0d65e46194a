// Stores full tiles of an account. What another replica has stored stays: it is the same.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  levels: readonly number[],
  tiles: readonly string[],
  roots: readonly Buffer[],
  hashes: readonly Buffer[],
];

export const createTiles = statement<Params, never>(
  `/* ledger.create-tiles */
INSERT INTO ledger.tiles (account_id, level, tile, root, hashes)
SELECT $1::text, level, tile, root, hashes
FROM unnest($2::smallint[], $3::bigint[], $4::bytea[], $5::bytea[]) AS given (level, tile, root, hashes)
ORDER BY level, tile
ON CONFLICT (account_id, level, tile) DO NOTHING
`,
  { route: "one account" },
);
