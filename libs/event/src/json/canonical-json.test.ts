// Guarantee: canonical text is that of RFC 8785, to the byte, and the same for every text of the same value.

import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonValue } from "./json-value.ts";
import { readJson } from "./read-json.ts";

const LIMITS = { maxDepth: 64, maxValues: 1_000_000 };

// RFC 8785 appendix B: the bits of a double and its text.
const NUMBERS: [string, string][] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

describe("canonicalJson", () => {
  test.each(NUMBERS)("the double %s is %s", (bits, text) => {
    const value = Buffer.from(bits, "hex").readDoubleBE();
    expect(canonicalJson(value)).toBe(text);
    // What it writes, the reader takes back, to the same bits but for the sign of zero.
    const again = readJson(Buffer.from(text), LIMITS) as number;
    expect(Object.is(again, value === 0 ? 0 : value)).toBe(true);
  });

  test.each([Number.NaN, Infinity, -Infinity])("refuses %d", (value) => {
    expect(() => canonicalJson([value])).toThrow(TypeError);
  });

  test("sorts names by UTF-16 code units (RFC 8785, 3.2.3)", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    const names = [...canonicalJson(value).matchAll(/:"([^"]*)"/g)].map((match) => match[1]);
    expect(names).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  test("writes literals, numbers and strings as RFC 8785, 3.2.2 does", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    // The RFC's first number has a digit too many for the strict reader.
    const written = canonicalJson(JSON.parse(text) as JsonValue);
    expect(written).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test("escapes what JSON must escape and nothing else", () => {
    const all = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).join("");
    const expected =
      String.raw`"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010` +
      String.raw`\u0011\u0012` +
      String.raw`\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f !\"` +
      `${all.slice(0x23, 0x5c)}\\\\${all.slice(0x5d)}"`;
    expect(canonicalJson(all)).toBe(expected);
    expect(canonicalJson("\u2028\u2029\ufeff😀")).toBe('"\u2028\u2029\ufeff😀"');
  });

  test.each(["\ud800", "a\udc00", "\udc00\ud800"])(
    "refuses the lone surrogate of %j, in values and names",
    (text) => {
      expect(() => canonicalJson(text)).toThrow(TypeError);
      expect(() => canonicalJson({ [text]: 1 })).toThrow(TypeError);
    },
  );

  test("refuses what is no JSON value", () => {
    expect(() => canonicalJson([undefined] as unknown as JsonValue)).toThrow(TypeError);
    expect(() => canonicalJson({ a: 1n } as unknown as JsonValue)).toThrow(TypeError);
  });

  test("sorts objects of many members", () => {
    const names = Array.from({ length: 500 }, (_, n) => `${(n * 7919) % 500}`);
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));
    expect(text).toBe(
      `{${names
        .toSorted()
        .map((name) => `"${name}":0`)
        .join(",")}}`,
    );
  });

  test("agrees with an independent writer on any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary", depthSize: "medium" }), (value) => {
        expect(canonicalJson(value as JsonValue)).toBe(canonicalize(value));
      }),
    );
  });

  test("does not change when its text is read and written again", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        fc.pre(!text.includes("\\u0000") && !/\\ud[89a-f]/.test(text));
        const once = canonicalJson(readJson(Buffer.from(text), LIMITS));
        expect(canonicalJson(readJson(Buffer.from(once), LIMITS))).toBe(once);
      }),
    );
  });
});
