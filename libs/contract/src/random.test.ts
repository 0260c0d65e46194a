// Guarantee: no byte of the pool is handed out twice, whatever sizes are asked for.

import { expect, test } from "vitest";
import { pooledRandom } from "./random.ts";

test("pieces do not overlap, and have the size asked for", () => {
  const random = pooledRandom();
  const pieces = Array.from({ length: 5_000 }, (_, index) => random((index * 7) % 200));
  expect(pieces.every((piece, index) => piece.length === (index * 7) % 200)).toBe(true);
  const seen = new Map<ArrayBufferLike, [from: number, to: number][]>();
  for (const { buffer, byteOffset, length } of pieces) {
    const before = seen.get(buffer) ?? [];
    const overlaps = before.some(([from, to]) => byteOffset < to && byteOffset + length > from);
    expect(overlaps).toBe(false);
    seen.set(buffer, [...before, [byteOffset, byteOffset + length]]);
  }
});

test("a large piece is made on its own, and no two pieces are equal", () => {
  const random = pooledRandom();
  expect(random(100_000)).toHaveLength(100_000);
  const texts = Array.from({ length: 2_000 }, () => Buffer.from(random(16)).toString("hex"));
  expect(new Set(texts).size).toBe(2_000);
});
