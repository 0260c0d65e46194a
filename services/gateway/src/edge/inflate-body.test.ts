// Guarantees: each piece is counted before the next one is made, so that a body holds what its account has
// left and one piece more; and a body that ends up refused leaves no decoder behind.

import { unavailable } from "@annals/errors";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Coding, inflateBody } from "./inflate-body.ts";

const KIB = 1024;
const PIECE = 64 * KIB;
const MAX_BYTES = 4 * KIB * KIB;
const HALF = Buffer.alloc(8 * PIECE, Array.from({ length: 997 }, (_, at) => `${at * 7919}`).join());

test.each([
  ["gzip", gzipSync(HALF)],
  ["zstd", zstdCompressSync(HALF)],
] satisfies [Coding, Buffer][])("%s takes memory piece by piece", async (coding, body) => {
  const taken: number[] = [];
  const take = (bytes: number): void => void taken.push(bytes);
  const limits = { maxBytes: MAX_BYTES, take };
  expect(await inflateBody(body, coding, limits)).toEqual(HALF);
  expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(HALF.length);
  expect(Math.max(...taken)).toBeLessThanOrEqual(PIECE);
});

test("without memory for a piece nothing more is inflated", async () => {
  let taken = 0;
  const take = (bytes: number): void => {
    if (taken + bytes > 3 * PIECE) throw unavailable("none is left");
    taken += bytes;
  };
  const inflated = inflateBody(gzipSync(HALF), "gzip", { maxBytes: MAX_BYTES, take });
  await expect(inflated).rejects.toThrow("none is left");
  expect(taken).toBeLessThanOrEqual(3 * PIECE);
});
