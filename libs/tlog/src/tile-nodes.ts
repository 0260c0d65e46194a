// The nodes of a tree, read from its tiles. Called by with-tiles.ts, and by verifiers that compare each tile
// with the entry above it.

import { HASH_BYTES } from "./hash.ts";
import { hashesOfTile } from "./full-tiles.ts";
import type { ReadNode } from "./proofs.ts";
import { TILE_HEIGHT, TILE_WIDTH, type TilePath } from "./tile-path.ts";
import { TlogError } from "./text/tlog-error.ts";
import { append, EMPTY_TREE, rootOf } from "./tree.ts";

/** A tile's hashes. Throws if there is no such tile. */
export type ReadTile = (tile: TilePath) => Buffer;

/** The tile that holds the hash at `index` of a level, in a tree of `size` entries. */
export function tileAt(size: number, level: number, index: number): TilePath {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  const tile = Math.floor(index / TILE_WIDTH);
  return { level, index: tile, width: Math.min(TILE_WIDTH, hashes - tile * TILE_WIDTH) };
}

/** All tiles of hashes of a tree, level by level from 0. */
export function* tilesOf(size: number): Generator<TilePath & { readonly level: number }> {
  for (let level = 0; TILE_WIDTH ** level <= size; level += 1) {
    const hashes = Math.floor(size / TILE_WIDTH ** level);
    for (let at = 0; at < hashes; at += TILE_WIDTH)
      yield { level, index: at / TILE_WIDTH, width: Math.min(TILE_WIDTH, hashes - at) };
  }
}

/** Throws TlogError (tile_mismatch) for a tile that has not the width that the tree has there. */
export function readNodes(size: number, readTile: ReadTile): ReadNode {
  return (level, index) => {
    const above = Math.floor(level / TILE_HEIGHT);
    const width = 2 ** (level % TILE_HEIGHT);
    const first = index * width;
    const tile = tileAt(size, above, first);
    const bytes = readTile(tile);
    if (bytes.length !== tile.width * HASH_BYTES)
      throw new TlogError("tile_mismatch", "a tile has another width");
    const at = (first % TILE_WIDTH) * HASH_BYTES;
    const hashes = hashesOfTile(bytes.subarray(at, at + width * HASH_BYTES)) ?? [];
    if (hashes.length !== width) throw new TlogError("tile_mismatch", "a node is not in its tile");
    return rootOf(append(EMPTY_TREE, hashes));
  };
}
