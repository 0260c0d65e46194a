// Guarantee: the pieces of a value are its canonical text, and no piece is the work of more than some
// thousands of characters, whatever the value is. Pieces are measured in characters: no clock decides.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { canonicalPieces } from "./canonical-pieces.ts";
import { newObject, setMember } from "./json-object.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";
import { sortInPieces } from "./sort-in-pieces.ts";

const PIECE = 16 * 1024;
/** JSON writes a control character with six. */
const MOST = 7 * PIECE;

test("together they are the canonical text, of any size of a piece", () => {
  const values = fc.jsonValue({ stringUnit: "binary", maxDepth: 5 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 40 }), (given, characters) => {
      const value = given as JsonValue;
      expect(Array.from(canonicalPieces(value, characters)).join("")).toBe(canonicalJson(value));
    }),
  );
});

test("so are those of a member that is named like an index, or like a member of each object", () => {
  const object = newObject();
  for (const name of ["10", "9", "b", "__proto__", "a", "constructor"]) setMember(object, name, {});
  expect(Array.from(canonicalPieces(object, 4)).join("")).toBe(canonicalJson(object));
});

test("half of a surrogate pair is refused wherever it is", () => {
  for (const before of [0, 1, 2, 3, 4, 5, 8])
    for (const after of ["", "x".repeat(9)])
      for (const half of ["\ud83d", "\ude00"])
        expect(() =>
          Array.from(canonicalPieces([`${"x".repeat(before)}${half}${after}`], 4)),
        ).toThrow("a lone surrogate has no canonical text");
});

const names = (count: number, text: string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${text}${(n * 7_919) % count}`, n]));

describe("no piece is large", () => {
  test.each<[string, JsonValue]>([
    ["a text", "x".repeat(64 * PIECE)],
    ["a text of control characters", { a: ["\u0001".repeat(64 * PIECE)] }],
    ["a name", { ["x".repeat(64 * PIECE)]: 1 }],
    ["a name of quotes", { a: { ['"'.repeat(64 * PIECE)]: {} } }],
    ["numbers", Array.from({ length: PIECE }, (_, n) => n / 7)],
    ["empty objects", Array.from({ length: 8 * PIECE }, () => ({}))],
    ["names", names(PIECE, "name")],
    ["long names with the same beginning", names(2_000, "x".repeat(500))],
  ])("if the value is %s", (_, value) => {
    const pieces = Array.from(canonicalPieces(value, PIECE));
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(MOST);
  });
});

test("names are sorted as the platform does, a few thousand characters at a time", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (given) => {
      const long = given.map((name) => name + "x".repeat(30_000));
      const work = sortInPieces([...long]);
      let piece = work.next();
      while (piece.done !== true) piece = work.next();
      expect(piece.value).toEqual(long.toSorted());
    }),
  );
  const many = Object.keys(names(20_000, "x".repeat(100)));
  const leastPieces = (many.length * 130) / (64 * 1024);
  expect(Array.from(sortInPieces(many)).length).toBeGreaterThan(leastPieces);
});
