// Guarantee: the hashes of trees are SHA-256 of the prefix and the bytes, whatever was hashed before, and one
// that was returned stays as it is.

import fc from "fast-check";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { entryHash, HASH_BYTES, nodeHash, pairEntryHash, sha256 } from "./hash.ts";

const expected = (...parts: Uint8Array[]) => {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
};

/** Mostly the length of a hash; a proof that somebody made up may have any other. */
const bytes = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ minLength: HASH_BYTES, maxLength: HASH_BYTES }) },
  fc.uint8Array({ maxLength: 2 * HASH_BYTES }),
);

test("any hashes, one after the other", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(bytes, bytes), { minLength: 1 }), (pairs) => {
      const hashes = pairs.flatMap(([left, right]) => [
        nodeHash(left, right),
        pairEntryHash(left, right),
        entryHash(left),
        sha256(right),
      ]);
      const digests = pairs.flatMap(([left, right]) => [
        expected(Uint8Array.of(1), left, right),
        expected(Uint8Array.of(0), left, right),
        expected(Uint8Array.of(0), left),
        expected(right),
      ]);
      expect(hashes.map((hash) => hash.toString("hex"))).toEqual(digests);
    }),
  );
});
