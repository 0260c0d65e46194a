// Proofs from tiles that are somewhere else: in a database, or at a server. Called by the ledger, and by
// annals-verify.

import { nodeHash } from "./hash.ts";
import type { ReadNode } from "./proofs.ts";
import { readNodes } from "./tile-nodes.ts";
import { TILE_HEIGHT, type TilePath } from "./tile-path.ts";

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
 * The nodes of a tree of `size` entries, and of all smaller ones: what is complete stays as it is. Each tile
 * is loaded once and each node is made once, whatever number of proofs needs them. So it is for one call:
 * what it keeps grows with the proofs.
 */
export class TileNodes {
  readonly #load: (tile: TilePath) => Promise<Buffer>;
  readonly #makeHash: ReadNode;
  readonly #nodes = new Map<string, Buffer>();
  readonly #tiles = new Map<string, Buffer>();

  constructor(size: number, load: (tile: TilePath) => Promise<Buffer>) {
    this.#load = load;
    this.#makeHash = readNodes(size, (tile) => {
      const hashes = this.#tiles.get(`${tile.level}/${tile.index}`);
      if (hashes === undefined) throw new MissingTile(tile);
      return hashes;
    });
  }

  /** Runs `work` with the nodes. It runs again for each tile that it lacked. */
  async read<T>(work: (readNode: ReadNode) => T): Promise<T> {
    for (let loaded = 0; loaded <= MAX_TILES; loaded += 1) {
      try {
        return work(this.#readNode);
      } catch (error) {
        if (!(error instanceof MissingTile)) throw error;
        const { tile } = error;
        this.#tiles.set(`${tile.level}/${tile.index}`, await this.#load(tile));
      }
    }
    throw new Error("a proof needs more tiles than a tree has levels");
  }

  readonly #readNode: ReadNode = (level, index) => {
    const place = `${level}/${index}`;
    const kept = this.#nodes.get(place);
    if (kept !== undefined) return kept;
    const isInTile = level % TILE_HEIGHT === 0;
    const node = isInTile
      ? this.#makeHash(level, index)
      : nodeHash(this.#readNode(level - 1, 2 * index), this.#readNode(level - 1, 2 * index + 1));
    this.#nodes.set(place, node);
    return node;
  };
}

/** Runs `work` with the nodes of a tree of `size` entries, for one proof. */
export function withTiles<T>(
  size: number,
  load: (tile: TilePath) => Promise<Buffer>,
  work: (readNode: ReadNode) => T,
): Promise<T> {
  return new TileNodes(size, load).read(work);
}
