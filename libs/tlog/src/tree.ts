// An RFC 6962 tree that grows: its frontier, which is one hash for each bit of its size, and its root. Called
// by what appends to a tree, and by full-tiles.ts. It keeps no entry.

import { EMPTY_ROOT, HASH_BYTES, nodeHash } from "./hash.ts";

export interface Frontier {
  readonly size: number;
  /** The roots of the complete subtrees that the tree consists of, the largest first. */
  readonly hashes: readonly Buffer[];
}

export const EMPTY_TREE: Frontier = { size: 0, hashes: [] };

/** Throws RangeError if there is not one hash of 32 bytes for each bit of the size. */
export function frontierOf(size: number, hashes: readonly Buffer[]): Frontier {
  const isFrontier =
    Number.isSafeInteger(size) &&
    size >= 0 &&
    hashes.length === bitsIn(size) &&
    hashes.every(({ length }) => length === HASH_BYTES);
  if (!isFrontier) throw new RangeError("a frontier has one hash for each bit of its size");
  return { size, hashes };
}

/** The frontier after these leaf hashes. */
export function append(frontier: Frontier, leaves: Iterable<Buffer>): Frontier {
  const hashes = [...frontier.hashes];
  let { size } = frontier;
  for (const leaf of leaves) {
    let hash = leaf;
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(hashes.pop() ?? EMPTY_ROOT, hash);
    hashes.push(hash);
    size += 1;
  }
  return { size, hashes };
}

export function rootOf({ hashes }: Frontier): Buffer {
  return (
    hashes.reduceRight<Buffer | undefined>(
      (right, left) => (right === undefined ? left : nodeHash(left, right)),
      undefined,
    ) ?? EMPTY_ROOT
  );
}

function bitsIn(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
