// Guarantee: the check accepts a text exactly when it is what the canonical writer makes of what the strict
// reader reads, and finds where an object ends.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { CanonicalObjects } from "./canonical-object.ts";
import { JsonFault } from "./json-value.ts";
import { readJson } from "./read-json.ts";

const DEPTH = 8;
const LIMITS = { maxDepth: DEPTH, maxValues: 100_000 };

/** One for all texts: what it keeps of one must not matter to the next. */
const objects = new CanonicalObjects(LIMITS);

function isAccepted(bytes: Buffer): boolean {
  try {
    objects.check(bytes);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(JsonFault);
    return false;
  }
}

function expectAgreement(bytes: Buffer): boolean {
  const isRight = isCanonical(bytes);
  expect(isAccepted(bytes)).toBe(isRight);
  return isRight;
}

/** What the reader and the writer say: two other programs. */
function isCanonical(bytes: Uint8Array): boolean {
  try {
    const value = readJson(bytes, LIMITS);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && Buffer.from(canonicalJson(value)).equals(bytes);
  } catch {
    return false;
  }
}

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

test.each([
  "{}",
  '{"a":[],"b":{},"c":[1,-1,0,0.1,1e+21,1e-7,123456789012345,1234567890123456]}',
  '{"":null,"A":true,"a":false,"aa":[[{}],[""]]}',
  '{"a":[0.30000000000000004,-1.2345678901234567e-308,12345678901234567000,5e-324]}',
  '{"a":[-0.0000012345678901234567,-123456789012345680000,1.7976931348623157e+308]}',
  '{"a":1,"é":"\u007f€😀\uffff","\ud7ff":2,"\ud83d\ude00":3,"\ufb33":4}',
  String.raw`{"a":"\u0001\u001f\b\t\n\f\r\"\\","b":"\u000b/\u000e"}`,
  String.raw`{"\u0001":0,"\b":1,"\u000b":2,"\f":3,"\u001f":4,"\"":5,"\\":6,"é\n":7,"é\u000b":8}`,
  nested(DEPTH),
])("accepts %s", (text) => {
  expect(isCanonical(Buffer.from(text))).toBe(true);
  expect(isAccepted(Buffer.from(text))).toBe(true);
});

describe("refuses", () => {
  test.each([
    ["nothing", ""],
    ["what is no object", "[]"],
    ["a text", '"a"'],
    ["a byte order mark", "\ufeff{}"],
    ["an object that is not closed", '{"a":1'],
    ["more than the object", "{}{}"],
    ["space before", " {}"],
    ["space inside", '{"a": 1}'],
    ["space after", "{}\n"],
    ["names out of order", '{"b":1,"a":2}'],
    ["a name twice", '{"a":1,"a":1}'],
    ["a name twice, once escaped", String.raw`{"\n":1,"\n":2}`],
    ["names in the order of their escapes", String.raw`{"\\":1,"A":2}`],
    ["names in the order of UTF-8", '{"\ufb33":1,"\ud83d\ude00":2}'],
    ["an array that ends with a comma", '{"a":[1,]}'],
    ["an object that ends with a comma", '{"a":1,}'],
    ["a name without quotes", "{a:1}"],
    ["a member without a value", '{"a":}'],
    ["a word that is none", '{"a":nul}'],
    ["a capital word", '{"a":True}'],
    ["an escape that is not needed", String.raw`{"a":"\/"}`],
    ["a letter as an escape", String.raw`{"a":"\u0061"}`],
    ["an escape in capitals", String.raw`{"a":"\u001F"}`],
    ["a long escape where a short one exists", String.raw`{"a":"\u000a"}`],
    ["U+0000", String.raw`{"a":"\u0000"}`],
    ["half of a pair", String.raw`{"a":"\ud800"}`],
    ["a control character", '{"a":"\u0001"}'],
    ["a number that begins with 0", '{"a":01}'],
    ["minus zero", '{"a":-0}'],
    ["a fraction that is none", '{"a":1.0}'],
    ["an exponent that is not needed", '{"a":1e2}'],
    ["an exponent without its sign", '{"a":1e21}'],
    ["a capital exponent", '{"a":1E+21}'],
    ["a number beyond a double", '{"a":1e+400}'],
    ["a number that a double does not keep", '{"a":9007199254740993}'],
    ["a number with a plus", '{"a":+1}'],
    ["not a number", '{"a":NaN}'],
    ["a hexadecimal number", '{"a":0x1}'],
    ["two values", '{"a":1-1}'],
    ["a level too many", nested(DEPTH + 1)],
    ["a level too many, of arrays", `{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`],
  ])("%s", (_what, text) => {
    expect(isCanonical(Buffer.from(text))).toBe(false);
    expect(isAccepted(Buffer.from(text))).toBe(false);
  });

  test("bytes that are not UTF-8", () => {
    expect(isAccepted(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe(false);
  });

  test("and says what is wrong", () => {
    const check = (text: string) => () => objects.check(Buffer.from(text));
    expect(check('{"é":1 }')).toThrow("is not in canonical form");
    expect(check("[]")).toThrow("is not a JSON object");
    expect(check('{"a":1,}')).toThrow('expected a member name in double quotes, but found "}"');
  });
});

test("agrees with the reader and the writer on any object", () => {
  const dictionaries = fc.dictionary(
    fc.string({ unit: "binary" }),
    fc.jsonValue({ stringUnit: "binary", depthSize: "medium" }),
  );
  fc.assert(
    fc.property(dictionaries, (object) => {
      const text = canonicalJson(
        readJson(Buffer.from(JSON.stringify(object).replaceAll("\\u0000", "0")), {
          maxDepth: 64,
          maxValues: 100_000,
        }),
      );
      expectAgreement(Buffer.from(text));
    }),
  );
});

test("agrees with them on texts with a character replaced, added or left out", () => {
  const characters = fc.constantFrom(
    ...Array.from('{}[]:,"\\ \n0123456789.-+eEu/abtrfnulsé\u0001'),
  );
  const parts = fc.array(
    fc.constantFrom(
      '{"a":1,"b":[true,null,"x\\n"],"c":{"d":-0.5e-7}}',
      '{"a":{"id":"u_1","type":"user"},"n":1e+21}',
      '{"1":"\\u0001","10":[],"2":12345678901234567000}',
    ),
    { minLength: 1, maxLength: 1 },
  );
  fc.assert(
    fc.property(parts, fc.nat(60), fc.nat(1), characters, ([text = ""], at, removed, added) => {
      const bytes = Buffer.from(text.slice(0, at) + added + text.slice(at + removed));
      expectAgreement(bytes);
    }),
  );
});

test("the end of an object inside of bytes", () => {
  const object = String.raw`{"a":"}\"","id":{"id":1}}`;
  expect(objects.end(Buffer.from(`x${object}},"b":{}`), 1)).toBe(1 + object.length);
  expect(objects.end(Buffer.from(`x${object}`), 0)).toBeLessThan(0);
});

test("more values than the limit are no fault of one that is canonical", () => {
  const { maxValues } = LIMITS;
  const few = new CanonicalObjects({ ...LIMITS, maxValues: 2 });
  for (let n = 0; n < maxValues; n += 1) expect(few.end(Buffer.from('{"a":1}'), 0)).toBe(7);
});
