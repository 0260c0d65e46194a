// Guarantee: what is written item by item is, byte for byte, the UTF-8 of the joined text.

import fc from "fast-check";
import { expect, test } from "vitest";
import { listBytes } from "./data.ts";

const text = fc.string({ unit: "grapheme" });

test("any items and any end", () => {
  fc.assert(
    fc.property(fc.array(text), text, (items, end) => {
      expect(listBytes(items, end).toString()).toBe(`{"data":[${items.join(",")}${end}`);
    }),
  );
});
