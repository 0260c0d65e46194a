// Full tiles of an account with whether they have what is below them: those of level 0 the hashes of the
// events, those of a higher level the roots of the tiles below. In the order of the tiles.

import { statement } from "@annals/postgres";

export interface ComparedTileRow {
  readonly tile: string;
  readonly root: Buffer;
  readonly hashes: Buffer;
  readonly matches: boolean;
}

type Tiles = [accountId: string, from: string, before: string];

export const compareTiles = statement<Tiles, ComparedTileRow>(
  `/* ledger.compare-tiles */
SELECT tile, root, hashes, hashes IS NOT DISTINCT FROM (
  SELECT string_agg(events.hash, ''::bytea ORDER BY events.sequence_number)
  FROM ledger.events
  WHERE events.account_id = $1::text
    AND events.sequence_number > tiles.tile * 256 AND events.sequence_number <= tiles.tile * 256 + 256
) AS matches
FROM ledger.tiles
WHERE tiles.account_id = $1::text AND level = 0 AND tile >= $2::bigint AND tile < $3::bigint
ORDER BY tile
`,
  { route: "one account" },
);

type UpperTiles = [accountId: string, level: number, from: string, before: string];

export const compareUpperTiles = statement<UpperTiles, ComparedTileRow>(
  `/* ledger.compare-upper-tiles */
SELECT tile, root, hashes, hashes IS NOT DISTINCT FROM (
  SELECT string_agg(below.root, ''::bytea ORDER BY below.tile)
  FROM ledger.tiles AS below
  WHERE below.account_id = $1::text AND below.level = $2::smallint - 1
    AND below.tile >= tiles.tile * 256 AND below.tile < tiles.tile * 256 + 256
) AS matches
FROM ledger.tiles
WHERE tiles.account_id = $1::text AND level = $2::smallint AND tile >= $3::bigint AND tile < $4::bigint
ORDER BY tile
`,
  { route: "one account" },
);
