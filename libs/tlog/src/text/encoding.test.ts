// Guarantee: base64 and hexadecimal digits are those of Node, and of base64 only the one standard encoding is
// read; a text fits exactly if its UTF-8 does.

import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, charactersOf, fitsIn, fromBase64, fromHex, hexOf, toBase64 } from "./encoding.ts";

const bytes = fc.uint8Array({ maxLength: 100 });

test("bytes are written as Node writes them, and read back", () => {
  fc.assert(
    fc.property(bytes, (some) => {
      expect(toBase64(some)).toBe(Buffer.from(some).toString("base64"));
      expect(fromBase64(toBase64(some))).toEqual(some);
      expect(hexOf(some)).toBe(Buffer.from(some).toString("hex"));
      expect(fromHex(hexOf(some))).toEqual(some);
      expect(charactersOf(some)).toBe(Buffer.from(some).toString("latin1"));
      expect(bytesOf(charactersOf(some))).toEqual(some);
    }),
  );
});

test("of all texts, base64 is what Node would write", () => {
  const counts = { read: 0, refused: 0 };
  const read = (text: string) => {
    const expected = Buffer.from(text, "base64");
    const isStandard = expected.toString("base64") === text;
    counts[isStandard ? "read" : "refused"] += 1;
    expect(fromBase64(text), text).toEqual(isStandard ? new Uint8Array(expected) : undefined);
  };
  const texts = fc.string({
    unit: fc.constantFrom(...Array.from("AQgwZ09/+=-_ \n\u0080é")),
    maxLength: 12,
  });
  fc.assert(fc.property(texts, read));
  const change = fc.tuple(bytes, fc.nat(150), fc.constantFrom(...Array.from("ABQgw=/+- \n")));
  fc.assert(
    fc.property(change, ([some, at, character]) => {
      const text = toBase64(some);
      read(text.slice(0, at) + character + text.slice(at + 1));
    }),
  );
  expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(0);
});

test("a text fits exactly if its UTF-8 does", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 20 }), fc.nat(60), (text, most) => {
      expect(fitsIn(most, text)).toBe(Buffer.byteLength(text) <= most);
    }),
  );
});
