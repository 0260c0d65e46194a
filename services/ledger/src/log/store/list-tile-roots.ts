// The roots of the tiles of a level from a tile on, before another, in their order: the hashes of a partial
// tile of the level above.

import { statement } from "@annals/postgres";

type Params = [accountId: string, level: number, from: string, before: string];

export const listTileRoots = statement<Params, { readonly root: Buffer }>(
  `/* ledger.list-tile-roots */
SELECT root FROM ledger.tiles
WHERE account_id = $1::text AND level = $2::smallint AND tile >= $3::bigint AND tile < $4::bigint
ORDER BY tile
`,
  { route: "one account" },
);
