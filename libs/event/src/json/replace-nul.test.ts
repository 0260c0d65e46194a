// Guarantee: U+0000 becomes U+FFFD and nothing else changes, at once and in pieces, and no piece is large:
// pieces are counted, and no clock decides.

import fc from "fast-check";
import { expect, test } from "vitest";
import { replaceNul, replaceNulInPieces } from "./replace-nul.ts";

const PIECE = 16 * 1024;

function count(work: Generator<void, string>) {
  for (let pieces = 1; ; pieces += 1) {
    const { done, value } = work.next();
    if (done === true) return { pieces, result: value };
  }
}

test("U+0000 is replaced in pieces, and nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 9 }), (some, size) => {
      for (const text of [some, `\0${some}\0\ud800`]) {
        const replaced = text.replaceAll("\0", "\ufffd");
        expect(replaceNul(text)).toBe(replaced);
        expect(count(replaceNulInPieces(text, size)).result).toBe(replaced);
      }
    }),
  );
  expect(count(replaceNulInPieces("\0".repeat(64 * PIECE), PIECE)).pieces).toBeGreaterThan(60);
});
