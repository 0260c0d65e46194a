// The full tiles that a tree gets when it grows. The caller has the hashes of the partial tile of each level
// from its store; this returns the tiles that became full, level by level, with their roots.

import { HASH_BYTES, splitHashes } from "./hash.ts";
import { TILE_WIDTH } from "./tile-path.ts";
import { TlogError } from "./text/tlog-error.ts";
import { append, EMPTY_TREE, rootOf } from "./tree.ts";

export interface FullTile {
  readonly level: number;
  readonly index: number;
  /** 256 hashes. */
  readonly hashes: Buffer;
  /** The hash that the tile above has for this one. */
  readonly root: Buffer;
}

/** Hashes of a partial tile. Called with the levels from 0 up, and only if the tree has some there. */
export type ReadPartial = (level: number, index: number, width: number) => readonly Buffer[];

/** The tiles of a tree of `size` entries that are full once `leaves` follow. */
export function fullTiles(
  size: number,
  leaves: readonly Buffer[],
  readPartial: ReadPartial,
): FullTile[] {
  const tiles: FullTile[] = [];
  let added = leaves;
  let first = size;
  for (let level = 0; added.length > 0; level += 1) {
    const index = Math.floor(first / TILE_WIDTH);
    const width = first % TILE_WIDTH;
    const hashes = [...(width === 0 ? [] : readPartial(level, index, width)), ...added];
    const roots: Buffer[] = [];
    for (let at = 0; at + TILE_WIDTH <= hashes.length; at += TILE_WIDTH) {
      const tile = hashes.slice(at, at + TILE_WIDTH);
      const root = rootOf(append(EMPTY_TREE, tile));
      tiles.push({ level, index: index + roots.length, hashes: Buffer.concat(tile), root });
      roots.push(root);
    }
    added = roots;
    first = index;
  }
  return tiles;
}

/** The hash over a tile. Throws TlogError (tile_mismatch) unless the bytes are hashes, from 1 to 256. */
export function tileRoot(bytes: Buffer): Buffer {
  const hashes = hashesOfTile(bytes);
  if (hashes === undefined) throw new TlogError("tile_mismatch", "a tile has another width");
  return rootOf(append(EMPTY_TREE, hashes));
}

/** Undefined unless the bytes are whole hashes, from 1 to 256. */
export function hashesOfTile(bytes: Buffer): Buffer[] | undefined {
  const width = bytes.length / HASH_BYTES;
  if (!Number.isInteger(width) || width < 1 || width > TILE_WIDTH) return undefined;
  return splitHashes(bytes);
}
