// Proofs from tiles that are somewhere else: in a database, or at a server. Called by the ledger, and by
// annals-verify.

import type { ReadNode } from "./proofs.ts";
import { readNodes } from "./tile-nodes.ts";
import type { TilePath } from "./tile-path.ts";

/** Tiles of one proof: two a level at most, in a tree of fewer than 2^53 entries. */
const MAX_TILES = 16;

class MissingTile extends Error {
  readonly tile: TilePath;

  constructor(tile: TilePath) {
    super("a tile is not loaded yet");
    this.tile = tile;
  }
}

/**
 * Runs `work` with the nodes of a tree of `size` entries. It runs again for each tile that it lacked, with
 * the nodes of the runs before: a node may be made of 255 hashes.
 */
export async function withTiles<T>(
  size: number,
  load: (tile: TilePath) => Promise<Buffer>,
  work: (readNode: ReadNode) => T,
): Promise<T> {
  const tiles = new Map<string, Buffer>();
  const makeNode = readNodes(size, (tile) => {
    const hashes = tiles.get(`${tile.level}/${tile.index}`);
    if (hashes === undefined) throw new MissingTile(tile);
    return hashes;
  });
  const nodes = new Map<string, Buffer>();
  const readNode: ReadNode = (level, index) => {
    const place = `${level}/${index}`;
    const node = nodes.get(place) ?? makeNode(level, index);
    nodes.set(place, node);
    return node;
  };
  for (let loaded = 0; loaded <= MAX_TILES; loaded += 1) {
    try {
      return work(readNode);
    } catch (error) {
      if (!(error instanceof MissingTile)) throw error;
      const { tile } = error;
      tiles.set(`${tile.level}/${tile.index}`, await load(tile));
    }
  }
  throw new Error("a proof needs more tiles than a tree has levels");
}
