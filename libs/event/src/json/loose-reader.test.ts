// Guarantee: what canonical JSON could not carry is read as the nearest value that it can carry, and said to
// be altered; everything else is read as the strict reader does, or refused as it does.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { JsonFault } from "./json-value.ts";
import { readJson, readJsonLoosely, readJsonLooselyInPieces } from "./read-json.ts";

const LIMITS = { maxDepth: 8, maxValues: 1_000 };
const loosely = (text: string | Uint8Array) =>
  readJsonLoosely(typeof text === "string" ? Buffer.from(text) : text, LIMITS);

test.each([
  ["an integer beyond 2^53", "[9007199254740993]", '["9007199254740993"]'],
  ["a negative one", "[-9223372036854775808]", '["-9223372036854775808"]'],
  ["a fraction of many digits", "[0.1234567890123456789]", '["0.1234567890123456789"]'],
  ["an exponent beyond a double", "[1e400]", '["1e400"]'],
  ["U+0000", String.raw`["a\u0000b"]`, '["a\ufffdb"]'],
  ["half of a surrogate pair", String.raw`["\ud800"]`, '["\ufffd"]'],
  ["a half before a pair", String.raw`["\ud83d\ud83d\ude00"]`, '["\ufffd\u{1f600}"]'],
  ["U+0000 in a name", String.raw`{"a\u0000":1}`, '{"a\ufffd":1}'],
])("%s is altered", (_, text, read) => {
  const { isAltered, value } = loosely(text);
  expect(canonicalJson(value)).toBe(read);
  expect(isAltered).toBe(true);
});

test("invalid UTF-8 is altered", () => {
  const bytes = Buffer.concat([Buffer.from('["'), Buffer.from([0xff]), Buffer.from('"]')]);
  expect(loosely(bytes)).toMatchObject({ value: ["\ufffd"], isAltered: true });
});

describe("refuses", () => {
  test.each([
    ["two members with the same name", '{"a":1,"a":2}'],
    ["two names that are the same once altered", String.raw`{"\ud800":1,"\udbff":2}`],
    ["a text that ends", '["a'],
    ["an unknown escape", String.raw`["\x"]`],
    ["an escape that ends", String.raw`["\u00"]`],
    ["too deep a nesting", "[".repeat(9) + "]".repeat(9)],
    ["a byte order mark", "\ufeff[]"],
  ])("%s", (_, text) => {
    expect(() => loosely(text)).toThrow(JsonFault);
  });
});

test("what the strict reader reads is read as the same, and not altered", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      let strict: unknown;
      try {
        strict = readJson(Buffer.from(text), LIMITS);
      } catch {
        return;
      }
      const { isAltered, value } = loosely(text);
      expect({ isAltered, value }).toEqual({ value: strict, isAltered: false });
      const pieces = readJsonLooselyInPieces(Buffer.from(text), LIMITS, 3);
      let piece = pieces.next();
      while (piece.done !== true) piece = pieces.next();
      expect(piece.value).toEqual(loosely(text));
    }),
  );
});
