// Guarantee: a faithful JSON text is read to exactly what it says; nothing is altered, lost or merged on
// the way.

import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonValue } from "./json-value.ts";
import { readJson, readJsonInPieces } from "./read-json.ts";

const LIMITS = { maxDepth: 32, maxValues: 10_000_000 };

function read(text: string, limits = LIMITS): JsonValue {
  const value = readJson(Buffer.from(text), limits);
  const pieces = readJsonInPieces(Buffer.from(text), limits, 1);
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  expect(canonicalJson(piece.value)).toBe(canonicalJson(value));
  return value;
}

describe("reads", () => {
  test("any value as JSON.parse does", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "binary" }),
        fc.constantFrom(0, 2),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          fc.pre(text.isWellFormed() && !text.includes("\\u0000") && !/\\ud[89a-f]/.test(text));
          expect(canonicalJson(read(text))).toBe(canonicalize(JSON.parse(text)));
        },
      ),
    );
  });

  test("the canonical text of any value back to it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = canonicalize(value) as string;
        fc.pre(!text.includes("\\u0000"));
        expect(canonicalJson(read(text))).toBe(text);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("names that mean something to JavaScript as members like any other", () => {
    const text =
      '{"":1,"1":2,"10":3,"9":4,"__proto__":{"polluted":true},"constructor":5,"hasOwnProperty":6,"toJSON":7}';
    const value = read(text) as Record<string, JsonValue>;
    expect(canonicalJson(value)).toBe(text);
    expect(Object.keys(value)).toHaveLength(8);
    expect(value["__proto__"]).toEqual({ polluted: true });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((read("{}") as Record<string, JsonValue>)["constructor"]).toBeUndefined();
    expect((read('{"a":1}') as Record<string, JsonValue>)["toString"]).toBeUndefined();
  });

  test.each([
    ["1.0", 1],
    ["0.10", 0.1],
    ["1E5", 100_000],
    ["1e+05", 100_000],
    ["1e21", 1e21],
    ["100e-2", 1],
    ["-0", 0],
    ["-0.0", 0],
    ["0e5", 0],
    ["-0E-999999999999999999999", 0],
    ["0.000e99999", 0],
    ["9007199254740991", 9_007_199_254_740_991],
    ["-9007199254740992", -9_007_199_254_740_992],
    ["9007199254740994", 9_007_199_254_740_994],
    ["123456789012345.0", 123_456_789_012_345],
    ["5e-324", 5e-324],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["100000000000000000000000", 1e23],
    ["0.1000000000000000000000000", 0.1],
    ["333333333.3333333", 333_333_333.333_333_3],
  ])("the number %s", (text, expected) => {
    const value = read(` ${text} `);
    expect(value).toBe(expected);
    expect(read(`[${text}]`)).toEqual([expected]);
  });

  test("numbers with thousands of zeros that leave a short value", () => {
    const zeros = "0".repeat(5000);
    expect(read(`[1${zeros}e-5000,0.${zeros}1e5001,1e-${zeros}1]`)).toEqual([1, 1, 0.1]);
    expect(() => read(`[1.${zeros}1]`)).toThrow("cannot be kept exactly");
  });

  test("every double by its shortest text", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(read(String(number))).toBe(number === 0 ? 0 : number);
        expect(read(number.toExponential())).toBe(number === 0 ? 0 : number);
      }),
    );
  });

  test("strings of every plane, every escape, and 60,000 characters", () => {
    const planes = Array.from({ length: 17 }, (_, plane) =>
      String.fromCodePoint(plane * 0x10000 + 0xfffd),
    ).join("");
    expect(read(JSON.stringify(planes))).toBe(planes);
    expect(read(String.raw`"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00\u007f"`)).toBe(
      '"\\/\b\f\n\r\té€😀\u007f',
    );
    expect(read(JSON.stringify("é".repeat(60_000)))).toBe("é".repeat(60_000));
    expect(read('"\u2028\u2029\ufeff\ufffd\u007f"')).toBe("\u2028\u2029\ufeff\ufffd\u007f");
  });

  test("exactly as deep as allowed", () => {
    expect(read(`${"[".repeat(32)}${"]".repeat(32)}`)).toBeTruthy();
    expect(() => read(`${"[".repeat(33)}${"]".repeat(33)}`)).toThrow("more than 32 deep");
    expect(read("1", { ...LIMITS, maxDepth: 0 })).toBe(1);
    expect(() => read("{}", { ...LIMITS, maxDepth: 0 })).toThrow("more than 0 deep");
    expect(
      read(`${'{"a":'.repeat(512)}1${"}".repeat(512)}`, { ...LIMITS, maxDepth: 512 }),
    ).toBeTruthy();
    expect(() => read("1", { ...LIMITS, maxDepth: 513 })).toThrow(RangeError);
  });

  test("exactly as many members and elements as allowed", () => {
    const text = '{"a":[1,{"b":2},[]],"c":{}}';
    expect(canonicalJson(read(text, { maxDepth: 32, maxValues: 6 }))).toBe(text);
    expect(() => read(text, { maxDepth: 32, maxValues: 5 })).toThrow("more than 5 members");
    expect(read("[]", { maxDepth: 32, maxValues: 0 })).toEqual([]);
    expect(() => read("1", { maxDepth: 32, maxValues: -1 })).toThrow(RangeError);
  });

  test("in pieces the same is read, and no piece is larger than a token and its limit", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 40 }), (text, characters) => {
        const work = readJsonInPieces(Buffer.from(text), LIMITS, characters);
        let pieces = 0;
        let piece = work.next();
        for (; piece.done !== true; piece = work.next()) pieces += 1;
        expect(canonicalJson(piece.value)).toBe(canonicalJson(read(text)));
        expect(pieces).toBeLessThanOrEqual(text.length / characters);
      }),
    );
    // One event of a batch, which is no smaller for being one value.
    const numbers = Array.from({ length: 9_000 }, () => '{"a":[1]}').join();
    const pieces = Array.from(
      readJsonInPieces(Buffer.from(`{"events":[{"a":[${numbers}]}]}`), LIMITS, 1_000),
    ).length;
    expect(pieces).toBeGreaterThanOrEqual(80);
  });

  test("a view into a larger buffer", () => {
    const bytes = new Uint8Array(Buffer.from('xx{"a":1}yy'));
    expect(readJson(bytes.subarray(2, 9), LIMITS)).toEqual({ a: 1 });
  });
});
