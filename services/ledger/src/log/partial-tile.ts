// The first hashes of a tile of an account's tree that has no row of its own: the hashes of events, or the
// roots of the tiles below. Called by the tree builder and by covered-tree.ts.

import type { Database } from "@annals/postgres";
import { splitHashes, TILE_WIDTH, type TilePath } from "@annals/tlog";
import { listLeaves } from "../store/list-leaves.ts";
import { listTileRoots } from "./store/list-tile-roots.ts";

type HashTile = TilePath & { readonly level: number };

/** Resolves to `width` hashes, or to fewer if the tree ends before. */
export async function readPartialTile(
  database: Database,
  accountId: string,
  { index, level, width }: HashTile,
): Promise<Buffer[]> {
  const first = index * TILE_WIDTH;
  const [from, before] = [String(first), String(first + width)];
  if (level === 0) {
    const [leaves] = await database.run(listLeaves, [[accountId], [from], [before]]);
    return leaves ? splitHashes(leaves.hashes) : [];
  }
  const below = await database.run(listTileRoots, [accountId, level - 1, from, before]);
  return below.map(({ root }) => root);
}
