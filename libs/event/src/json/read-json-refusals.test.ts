// Guarantee: a JSON text that is malformed, or that canonical JSON could not carry faithfully, is refused
// with the place of the fault.

import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { REFUSED_JSON } from "../testing/refused-json.ts";
import { JsonFault } from "./json-value.ts";
import { readJson, readJsonInPieces } from "./read-json.ts";

const LIMITS = { maxDepth: 32, maxValues: 10_000_000 };

function thrown(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

function fault(text: string | Uint8Array): JsonFault {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const [found, again] = [
    () => readJson(bytes, LIMITS),
    () => Array.from(readJsonInPieces(bytes, LIMITS, 1)),
  ].map(thrown);
  if (found instanceof JsonFault) {
    // In pieces it is the same fault in the same place.
    expect(again).toEqual(found);
    return found;
  }
  throw new Error(`read without a fault: ${String(text).slice(0, 100)}`);
}

describe("refuses", () => {
  test.each(REFUSED_JSON)("%j: %s", (text, reason) => {
    expect(fault(text).message).toContain(reason);
    expect(fault(`[${text}`).message.length).toBeLessThan(200);
  });

  test.each([
    ['{"a":1,"a":1}', "a", 7],
    ['{"é":1,"\\u00e9":2}', '["é"]', 8],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', "a.b[1].c", 20],
    ['{"__proto__":1,"__proto__":2}', "__proto__", 15],
    ['{"":1,"":2}', '[""]', 6],
    ['{"10":1,"10":2}', '["10"]', 8],
    ['{"a":null,"a":2}', "a", 10],
    ['{"constructor":{},"constructor":{}}', "constructor", 18],
    [
      '{"events":[0,1,2,{"metadata":{"a":{"odd key":1e400}}}]}',
      'events[3].metadata.a["odd key"]',
      45,
    ],
    ['{"€":["\\ud800"]}', '["€"][0]', 9],
    ['{"a":{"\\u0000":1}}', "a", 7],
    ['{"a":1,"b" 2}', "b", 11],
    ['{"a":1,}', "", 7],
    ['[[1],[2,{"x":tru}]]', "[1][1].x", 13],
    ['{"a":[1,2', "a[1]", 9],
  ])("%s at %s", (text, path, offset) => {
    const found = fault(text);
    expect({ path: found.path, offset: found.offset }).toEqual({ path, offset });
  });

  test("bytes that are not UTF-8, naming the member and the byte", () => {
    for (const bad of [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
      [0x80],
    ]) {
      const text = Buffer.concat([
        Buffer.from('{"a":["\ufffd€","x'),
        Buffer.from(bad),
        Buffer.from('"]}'),
      ]);
      const found = fault(text);
      expect(found).toMatchObject({
        path: "a[1]",
        offset: 17,
        message: "the text is not valid UTF-8",
      });
    }
    expect(fault(Buffer.from([0xff, 0xfe, 0x31, 0x00])).offset).toBe(0);
    // An earlier fault of another kind comes first.
    expect(fault(Buffer.concat([Buffer.from("[1e400,"), Buffer.from([0xff])])).path).toBe("[0]");
  });

  test("more members and elements than allowed, naming the first too many", () => {
    const refusal = (text: string) => {
      try {
        return readJson(Buffer.from(text), { maxDepth: 32, maxValues: 3 });
      } catch (error) {
        return error;
      }
    };
    const message = "the text has more than 3 members and elements";
    expect(refusal("[1,2,3,4]")).toMatchObject({ path: "[3]", offset: 7, message });
    expect(refusal('{"a":{"b":[1,2]}}')).toMatchObject({ path: "a.b[1]", offset: 13, message });
    expect(refusal('[{"a":1},{"b":1}]')).toMatchObject({ path: "[1].b", offset: 10, message });
  });

  test("a name as long as the body without repeating it whole", () => {
    const found = fault(`{"${"n".repeat(100_000)}":1e400}`);
    expect(found.path.length).toBeLessThan(100);
    expect(fault(`[1${"0".repeat(100_000)}1]`).message.length).toBeLessThan(200);
  });

  test("whatever JSON.parse refuses, and reads nothing else into it", () => {
    const tokens = fc.constantFrom(
      ...Array.from('{}[]:,"\\ \n-+.eE019au'),
      "true",
      "null",
      '"a"',
      '"a":',
      "1.5",
      "\\u0041",
      "\u0001",
    );
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let expected: string | undefined;
        try {
          expected = canonicalize(JSON.parse(text));
        } catch {
          expect(fault(text)).toBeInstanceOf(JsonFault);
          return;
        }
        try {
          expect(canonicalJson(readJson(Buffer.from(text), LIMITS))).toBe(expected);
        } catch (error) {
          if (!(error instanceof JsonFault)) throw error;
          expect(error.message).toMatch(/more than once|kept exactly/);
        }
      }),
    );
  });

  test("a text cut short or with a byte changed without any other error", () => {
    const bytes = Buffer.from(
      '{"a":[1.5e3,"\\ud83d\\ude00é",{"10":null}],"b":{"c":true,"d":false}}',
    );
    for (let length = 0; length < bytes.length; length += 1) fault(bytes.subarray(0, length));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        try {
          readJson(changed, LIMITS);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonFault);
        }
      }),
    );
  });
});
