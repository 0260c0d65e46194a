// Guarantee: roots, proofs and tiles are those of RFC 6962 for any size: compared with the worked examples,
// and with a definition of the tree that is written for clarity alone. A changed proof is never accepted.

import fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type FullTile, fullTiles } from "./full-tiles.ts";
import { entryHash } from "./hash.ts";
import {
  proveConsistency,
  proveInclusion,
  rootFromNodes,
  verifyConsistency,
  verifyInclusion,
} from "./proofs.ts";
import { fromHex, vector, vectorBytes } from "./testing/vectors.ts";
import { readNodes, tilesOf } from "./tile-nodes.ts";
import { parseTilePath, TILE_WIDTH, type TilePath, tilePath } from "./tile-path.ts";
import { append, EMPTY_TREE, frontierOf, rootOf } from "./tree.ts";

const vectors = vector<{
  readonly roots: Readonly<Record<string, string>>;
  readonly inclusion: readonly { index: number; size: number; proof: string[] }[];
  readonly consistency: readonly { from: number; to: number; proof: string[] }[];
  readonly tile_paths: Readonly<Record<string, string>>;
  readonly tile_sha256: Readonly<Record<string, string>>;
}>("tree.json");

const MOST = 1200;
const LEAVES = Array.from({ length: MOST }, (_, at) => entryHash(Buffer.from(`leaf ${at}`)));
const sha256 = (...parts: Uint8Array[]) =>
  createHash("sha256").update(Buffer.concat(parts)).digest();

/** RFC 6962, section 2.1, word for word. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] as Buffer;
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const halves = [naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split))];
  return sha256(Uint8Array.of(1), ...halves);
}

const rootAt = (size: number) => naiveRoot(LEAVES.slice(0, size));

/** The tiles of a tree by path, made level by level. */
function naiveTiles(size: number): Map<string, Buffer> {
  const tiles = new Map<string, Buffer>();
  let hashes = LEAVES.slice(0, size);
  for (let level = 0; hashes.length > 0; level += 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < hashes.length; at += TILE_WIDTH) {
      const tile = hashes.slice(at, at + TILE_WIDTH);
      const path = tilePath({ level, index: at / TILE_WIDTH, width: tile.length });
      tiles.set(path, Buffer.concat(tile));
      if (tile.length === TILE_WIDTH) above.push(naiveRoot(tile));
    }
    hashes = above;
  }
  return tiles;
}

function nodesAt(size: number) {
  const tiles = naiveTiles(size);
  return readNodes(size, (tile) => {
    const bytes = tiles.get(tilePath(tile));
    if (bytes === undefined) throw new Error(`there is no ${tilePath(tile)}`);
    return bytes;
  });
}

const anySize = fc.oneof(
  fc.nat(MOST),
  fc.constantFrom(0, 1, 2, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025),
);

describe("the vectors", () => {
  test.each(Object.entries(vectors.roots))("the root of %s entries", (size, root) => {
    const leaves = LEAVES.slice(0, Number(size));
    expect(rootOf(append(EMPTY_TREE, leaves)).toString("hex")).toBe(root);
    expect(rootFromNodes(Number(size), nodesAt(Number(size))).toString("hex")).toBe(root);
  });

  test.each(vectors.inclusion)("inclusion of $index in $size", ({ index, size, proof }) => {
    expect(proveInclusion(index, size, nodesAt(size))).toEqual(fromHex(proof));
    verifyInclusion(index, size, LEAVES[index] as Buffer, fromHex(proof), rootAt(size));
  });

  test.each(vectors.consistency)("consistency of $from with $to", ({ from, to, proof }) => {
    expect(proveConsistency(from, to, nodesAt(to))).toEqual(fromHex(proof));
    const older = { size: from, root: rootAt(from) };
    verifyConsistency(older, { size: to, root: rootAt(to) }, fromHex(proof));
  });

  test("paths and bytes of tiles", () => {
    for (const [what, path] of Object.entries(vectors.tile_paths)) {
      const [level = 0, index = 0, width = 0] = (what.match(/\d+/g) ?? []).map(Number);
      expect(tilePath({ level, index, width })).toBe(path);
      expect(parseTilePath(path)).toEqual({ level, index, width });
    }
    const tiles = naiveTiles(600);
    for (const [path, digest] of Object.entries(vectors.tile_sha256))
      expect(sha256(tiles.get(path) ?? Buffer.alloc(0)).toString("hex")).toBe(digest);
    expect([...tilesOf(600)].map(tilePath).toSorted()).toEqual([...tiles.keys()].toSorted());
  });
});

test("the logs of the vectors have the roots of their checkpoints", () => {
  for (const [log, size] of [
    ["log", 500],
    ["head-log", 8],
  ] as const) {
    const read = readNodes(size, (tile: TilePath) => vectorBytes(`${log}/${tilePath(tile)}`));
    const [, , root] = vectorBytes(`${log}/checkpoint`).toString().split("\n");
    expect(rootFromNodes(size, read).toString("base64")).toBe(root);
  }
});

describe("for any size", () => {
  test("a tree that grows in any steps has the root of its definition, and the frontier of its size", () => {
    fc.assert(
      fc.property(anySize, anySize, (a, b) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const grown = append(append(EMPTY_TREE, LEAVES.slice(0, from)), LEAVES.slice(from, to));
        expect(rootOf(grown)).toEqual(rootAt(to));
        expect(frontierOf(to, grown.hashes)).toEqual(grown);
      }),
      { numRuns: 60 },
    );
  });

  test("the tiles that become full are those of the definition, whatever the steps", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 6 }), (steps) => {
        const found: FullTile[] = [];
        let size = 0;
        for (const step of steps) {
          const to = Math.min(MOST, size + step);
          const before = naiveTiles(size);
          found.push(
            ...fullTiles(size, LEAVES.slice(size, to), (level, index, width) => {
              const bytes = before.get(tilePath({ level, index, width })) ?? Buffer.alloc(0);
              return Array.from({ length: width }, (_, at) =>
                bytes.subarray(at * 32, at * 32 + 32),
              );
            }),
          );
          size = to;
        }
        const expected = [...naiveTiles(size)].filter(([path]) => !path.includes(".p/"));
        const made = found.map((tile) => [tilePath({ ...tile, width: TILE_WIDTH }), tile.hashes]);
        expect(Object.fromEntries(made)).toEqual(Object.fromEntries(expected));
        for (const { hashes, root } of found)
          expect(root).toEqual(
            naiveRoot(
              Array.from({ length: 256 }, (_, at) => hashes.subarray(at * 32, at * 32 + 32)),
            ),
          );
      }),
      { numRuns: 40 },
    );
  });

  test("proofs verify, and no changed one does", () => {
    fc.assert(
      fc.property(anySize, anySize, fc.nat(), fc.nat(), (a, b, seed, what) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const read = nodesAt(to);
        const [older, newer] = [from, to].map((size) => ({ size, root: rootAt(size) })) as [
          { size: number; root: Buffer },
          { size: number; root: Buffer },
        ];
        const consistency = proveConsistency(from, to, read);
        verifyConsistency(older, newer, consistency);
        for (const wrong of changesOf(consistency, seed))
          expect(() => verifyConsistency(older, newer, wrong)).toThrow(/not a prefix/);
        const other = { size: from, root: changedRoot(older.root, seed) };
        expect(() => verifyConsistency(other, newer, consistency)).toThrow(/not a prefix/);
        const later = { size: to, root: changedRoot(newer.root, seed) };
        if (from > 0)
          expect(() => verifyConsistency(older, later, consistency)).toThrow(/not a prefix/);
        if (to === 0) return;
        const index = what % to;
        const leaf = LEAVES[index] as Buffer;
        const inclusion = proveInclusion(index, to, read);
        verifyInclusion(index, to, leaf, inclusion, newer.root);
        for (const wrong of changesOf(inclusion, seed))
          expect(() => verifyInclusion(index, to, leaf, wrong, newer.root)).toThrow(
            /not in the tree/,
          );
        const next = (index + 1) % to;
        if (next !== index)
          expect(() => verifyInclusion(next, to, leaf, inclusion, newer.root)).toThrow(/not in/);
      }),
      { numRuns: 80 },
    );
  });

  function changedRoot(root: Buffer, seed: number): Buffer {
    const copy = Buffer.from(root);
    copy[seed % 32] = (copy[seed % 32] ?? 0) ^ 1;
    return copy;
  }

  /** A hash less, a hash more, and a changed bit. */
  function changesOf(proof: readonly Buffer[], seed: number): Buffer[][] {
    const longer = [...proof, Buffer.alloc(32, 7)];
    const [at, bit] = [seed % Math.max(1, proof.length), seed % 8];
    const changed = proof.map((hash, index) => {
      const copy = Buffer.from(hash);
      if (index === at) copy[seed % 32] = (copy[seed % 32] ?? 0) ^ (1 << bit);
      return copy;
    });
    return proof.length === 0 ? [longer] : [longer, proof.slice(1), proof.slice(0, -1), changed];
  }

  test("a root of another tree of the same size is not consistent", () => {
    const wrong = { size: 5, root: Buffer.alloc(32, 1) };
    expect(() => verifyConsistency(wrong, { size: 5, root: rootAt(5) }, [])).toThrow(/prefix/);
    expect(() => verifyConsistency({ size: 6, root: rootAt(6) }, wrong, [])).toThrow(/prefix/);
    expect(() => verifyConsistency({ size: 0, root: rootAt(1) }, wrong, [])).toThrow(/prefix/);
  });
});

test("a path of a tile is one text, and no other is accepted", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.nat(63), fc.constant("entries" as const)),
      fc.maxSafeNat(),
      fc.integer({ min: 1, max: 256 }),
      (level, index, width) => {
        const tile = { level, index, width };
        expect(parseTilePath(tilePath(tile))).toEqual(tile);
      },
    ),
  );
  for (const path of [
    "tile/0/0",
    "tile/00/000",
    "tile/64/000",
    "tile/0/x000/000",
    "tile/0/1000",
    "tile/0/001/000",
    "tile/0/000.p/0",
    "tile/0/000.p/256",
    "tile/0/000.p/01",
    "tile/0/000.p/300",
    "tile/0/000.p",
    "/tile/0/000",
    "tile/0/000/",
    "tile/-1/000",
    "tile/0/x001/234/067",
    "tile/data/000",
    "",
    "tile/0/x999/x999/x999/x999/x999/999",
    "tile/0/000\n",
    "tile/0/..",
    "tile/entries/0",
  ])
    expect(() => parseTilePath(path), path).toThrow(/not the path of a tile/);
});
