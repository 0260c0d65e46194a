// Guarantee: the nodes of a tree serve the proofs of it and of all smaller trees, as the nodes of each tree
// would, and each tile is loaded once for all of them.

import { expect, test } from "vitest";
import { fullTiles } from "./full-tiles.ts";
import { entryHash } from "./hash.ts";
import { proveConsistency, rootFromNodes, verifyConsistency } from "./proofs.ts";
import { TILE_WIDTH, type TilePath } from "./tile-path.ts";
import { append, EMPTY_TREE, rootOf } from "./tree.ts";
import { TileNodes } from "./with-tiles.ts";

const SIZE = 2 * TILE_WIDTH + 77;
const LEAVES = Array.from({ length: SIZE }, (_, at) => entryHash(Buffer.from(`leaf ${at}`)));
const ROOTS = fullTiles(0, LEAVES, () => []).map(({ root }) => root);
const rootAt = (size: number) => rootOf(append(EMPTY_TREE, LEAVES.slice(0, size)));

test("proofs between any two sizes load each tile once", async () => {
  const loaded: string[] = [];
  const load = async ({ index, level, width }: TilePath) => {
    loaded.push(`${level}/${index}`);
    const hashes = level === 0 ? LEAVES : ROOTS;
    return Buffer.concat(hashes.slice(index * TILE_WIDTH, index * TILE_WIDTH + width));
  };
  const nodes = new TileNodes(SIZE, load);
  for (let from = 1; from <= SIZE; from += 31) {
    for (const to of [from, Math.min(SIZE, from + 200), SIZE]) {
      const proof = await nodes.read((readNode) => ({
        root: rootFromNodes(to, readNode),
        hashes: proveConsistency(from, to, readNode),
      }));
      expect(proof.root).toEqual(rootAt(to));
      verifyConsistency(
        { size: from, root: rootAt(from) },
        { size: to, root: proof.root },
        proof.hashes,
      );
    }
  }
  expect(loaded.toSorted()).toEqual(["0/0", "0/1", "0/2", "1/0"]);
});
