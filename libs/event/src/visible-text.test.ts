// Guarantee: a text that was escaped, quoted or marked has no control, direction, zero-width or half character, what
// is visible is unchanged, and the text can be told from what is shown.

import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHidden, markHidden, quoteVisibly } from "./visible-text.ts";

const HIDDEN = [
  ..."\0\b\t\n\r\u001B\u007F\u0080\u009B\u009F",
  ..."\u00AD\u034F\u061C\u115F\u180E\u200B\u200C\u200D\u200E\u200F\u2028\u2029",
  ..."\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068\u2069\u3164\uFE0F\uFEFF\uFFA0",
  ..."\u{E0041}\u{1D173}",
  "\uD800",
  "\uDFFF",
];
const names = (text: string) => markHidden(text, (name) => `⟨${name}⟩`).join("");

test.each(HIDDEN)("%j is escaped, quoted and marked", (hidden) => {
  const code = hidden.codePointAt(0) ?? 0;
  const units = Array.from(
    { length: hidden.length },
    (_, at) => String.raw`\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
  expect(escapeHidden(`a${hidden}b`)).toBe(`a${units}b`);
  expect(quoteVisibly(`a${hidden}b`)).toMatch(/^"a[ -~]+b"$/);
  expect(names(`a${hidden}b`)).toBe(`a⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩b`);
});

test("what is visible is unchanged", () => {
  for (const text of ["", "invoice.paid", "é€😀", "שלום", "مرحبا", "a\u00A0b"]) {
    expect(escapeHidden(text)).toBe(text);
    expect(names(text)).toBe(text);
  }
});

test("any text can be read back from its quoted form, which is visible and not long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      const quoted = quoteVisibly(text);
      expect(JSON.parse(quoted)).toBe(text);
      expect(escapeHidden(quoted)).toBe(quoted);
    }),
  );
  expect(quoteVisibly("x".repeat(1e6))).toBe(`"${"x".repeat(120)}…"`);
});

test("a page may keep characters, such as line breaks", () => {
  const kept = markHidden(
    "a\nb\u202Ec",
    (name) => name,
    (character) => character === "\n",
  );
  expect(kept).toEqual(["a\nb", "U+202E", "c"]);
});
