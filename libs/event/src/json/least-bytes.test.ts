// Guarantee: a value that is called longer is longer; one that is several times as long is called so, and
// after as many members as the bytes are worth.

import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";
import { leastBytes } from "./least-bytes.ts";

test("no value is called longer than it is, and none of six times the bytes is not", () => {
  let longer = 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(60), (value, bytes) => {
      const length = Buffer.byteLength(canonicalJson(value as JsonValue));
      const least = leastBytes(value as JsonValue, bytes);
      const isLonger = least > bytes;
      expect(length).toBeGreaterThanOrEqual(least);
      // An escape of a character takes six bytes, and a number up to 24.
      if (!isLonger) expect(length).toBeLessThanOrEqual(24 * bytes + 24);
      if (isLonger) longer += 1;
    }),
  );
  expect(longer).toBeGreaterThan(0);
});

test.each([
  ["a", 2, true],
  ["a", 3, false],
  [[1], 3, false],
  [[1], 2, true],
  [{ a: 1 }, 7, false],
  [{ a: 1 }, 6, true],
] as const)("%j and %d bytes: %s", (value, bytes, isLonger) => {
  expect(leastBytes(value as unknown as JsonValue, bytes) > bytes).toBe(isLonger);
});

test("members beyond the bytes are not looked at", () => {
  let looks = 0;
  const members: JsonObject = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`a${n}`, n]),
  );
  const counted = new Proxy(members, {
    get(target, name) {
      looks += 1;
      return Reflect.get(target, name) as JsonValue;
    },
  });
  expect(leastBytes(counted, 600)).toBeGreaterThan(600);
  expect(looks).toBeLessThan(100);
});
