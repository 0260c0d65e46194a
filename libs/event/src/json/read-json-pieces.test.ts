// Guarantee: no piece of the work on a JSON text is larger than a few kilobytes of it, whatever the text has:
// one long value, one long name, escapes, or bytes that are not UTF-8. Pieces are counted: no clock decides.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonFault } from "./json-value.ts";
import { readJsonInPieces, readJsonLooselyInPieces } from "./read-json.ts";
import { decodeLoosely, decodeLooselyInPieces, validPrefix } from "./utf8.ts";

const LIMITS = { maxDepth: 32, maxValues: 1_000_000 };
const PIECE = 16 * 1024;
const PIECES = 64;
const LONG = PIECE * PIECES;
/** A piece is a little longer: it goes on to the end of a number or an escape. */
const LEAST = PIECES - 4;

interface Counted {
  readonly pieces: number;
  readonly result: unknown;
}

function count(work: Generator<void, unknown>): Counted {
  for (let pieces = 1; ; pieces += 1) {
    try {
      const { done, value } = work.next();
      if (done === true) return { pieces, result: value };
    } catch (error) {
      return { pieces, result: error };
    }
  }
}

const strictly = (bytes: Buffer) => count(readJsonInPieces(bytes, LIMITS, PIECE));
const loosely = (bytes: Buffer) => count(readJsonLooselyInPieces(bytes, LIMITS, PIECE));

describe("a long text is read in pieces", () => {
  const escaped = "\\u00e9".repeat(LONG / 6);
  test.each([
    ["a value", `["${"x".repeat(LONG)}"]`],
    ["a value of escapes", `["${escaped}"]`],
    ["a name", `{"${"x".repeat(LONG)}":1}`],
    ["a name of escapes", `{"${escaped}":1}`],
  ])("if it is %s", (_, text) => {
    for (const read of [strictly, loosely])
      expect(read(Buffer.from(text)).pieces).toBeGreaterThanOrEqual(LEAST);
  });

  test.each([
    ["a value", `["${"x".repeat(LONG)}`],
    ["a name", `{"${"x".repeat(LONG)}`],
    ["long numbers", `[${`1${"0".repeat(1_000)}e-1000,`.repeat(LONG / 1_008)}"`],
  ])("if it is %s, and then bytes that are not UTF-8", (_, text) => {
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('"')]);
    const { pieces, result } = strictly(bytes);
    expect(result).toBeInstanceOf(JsonFault);
    expect((result as JsonFault).offset).toBe(text.length);
    expect(pieces).toBeGreaterThanOrEqual(LEAST);
  });
});

test("bytes that are not UTF-8 are decoded in pieces, before the reader has read any of them", () => {
  const bytes = Buffer.from(`["${"é".repeat(LONG / 2)}"]`);
  const readAll = loosely(bytes).pieces;
  bytes[bytes.length - 3] = 0xff;
  const { pieces, result } = loosely(bytes);
  expect(result).toMatchObject({ isAltered: true });
  expect(pieces).toBeGreaterThanOrEqual(readAll + LEAST);
});

test("decoded in pieces, any bytes are the text that they are at once", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 9 }), (some, size) => {
      for (const bytes of [some, Buffer.from(`\ufeff€${Buffer.from(some).toString()}😀`)])
        expect(count(decodeLooselyInPieces(bytes, size)).result).toBe(decodeLoosely(bytes));
    }),
  );
});

test("an object of more members than any event has is refused, since its names are listed at once", () => {
  const objectOf = (members: number) =>
    `{"a":${JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, n) => [`n${n}`, 1])))}}`;
  for (const read of [strictly, loosely]) {
    expect(read(Buffer.from(objectOf(32_768))).result).not.toBeInstanceOf(JsonFault);
    const { result } = read(Buffer.from(objectOf(32_769)));
    expect(result).toMatchObject({ path: "a", message: "an object has more than 32768 members" });
  }
});

/** Bytes that are and are not UTF-8, and ones that have the character which stands for what is not. */
const FAULTS = [
  [0xff],
  [0x80],
  [0xc3],
  [0xe2, 0x82],
  [0xe2, 0x82, 0x82, 0x82, 0x82, 0x82],
  [0xf0, 0x9f, 0x98],
  [0xed, 0xa0, 0x80],
];

test.each(FAULTS)("what is valid ends before %#: wherever it is", (...fault) => {
  for (const character of ["a", "é", "€", "😀", "\ufffd"])
    for (const before of [0, 1, 2, 3, 100, 255, 256, 257, 1_000, 1_023, 1_024, 5_000])
      for (const after of ["", "b", "€".repeat(700)]) {
        const text = `${"a".repeat(before % 4)}${character.repeat(before)}`;
        const bytes = Buffer.concat([Buffer.from(text), Buffer.from(fault), Buffer.from(after)]);
        const valid = validPrefix(bytes);
        expect(valid.text).toBe(text + validPartOf(fault));
        expect(valid.offset).toBe(Buffer.byteLength(valid.text));
      }
});

function validPartOf(fault: readonly number[]): string {
  return fault.length > 5 ? "\u2082" : "";
}

test("a pair of surrogates is whole wherever a piece ends, also next to a half that is altered", () => {
  for (const before of [0, 1, 2, 3, 4, 5]) {
    const text = `["${"x".repeat(before)}\\ud800${"😀".repeat(9)}\\ud83d\\ude00\\u0000"]`;
    const value = [`${"x".repeat(before)}\ufffd${"😀".repeat(10)}\ufffd`];
    for (const characters of [1, 2, 3, 5, 8]) {
      const work = readJsonLooselyInPieces(Buffer.from(text), LIMITS, characters);
      expect(count(work).result).toEqual({ value, isAltered: true, values: 1 });
    }
  }
});
