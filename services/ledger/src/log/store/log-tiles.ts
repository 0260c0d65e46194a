// The full tiles of a head log. What is there stays: the log determines it.

import { statement } from "@annals/postgres";

type NewTiles = [
  log: number,
  levels: readonly number[],
  tiles: readonly string[],
  roots: readonly Buffer[],
  hashes: readonly Buffer[],
];

export const createLogTiles = statement<NewTiles, never>(
  `/* ledger.create-log-tiles */
INSERT INTO ledger.log_tiles (log, level, tile, root, hashes)
SELECT $1::smallint, level, tile, root, hashes
FROM unnest($2::smallint[], $3::bigint[], $4::bytea[], $5::bytea[]) AS given (level, tile, root, hashes)
ON CONFLICT (log, level, tile) DO NOTHING
`,
  { route: "local" },
);

type Place = [log: number, level: number, tile: string];

export const getLogTile = statement<Place, { readonly hashes: Buffer }>(
  `/* ledger.get-log-tile */
SELECT hashes FROM ledger.log_tiles
WHERE log = $1::smallint AND level = $2::smallint AND tile = $3::bigint
`,
  { route: "local" },
);

type Range = [log: number, level: number, from: string, count: number];

/** The roots of tiles from one on, in their order: the hashes of a partial tile of the level above. */
export const listLogTileRoots = statement<Range, { readonly root: Buffer }>(
  `/* ledger.list-log-tile-roots */
SELECT root FROM ledger.log_tiles
WHERE log = $1::smallint AND level = $2::smallint AND tile >= $3::bigint
ORDER BY tile
LIMIT $4::integer
`,
  { route: "local" },
);
