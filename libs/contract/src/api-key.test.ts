// Guarantee: a key that we mint is believed, the same key with any one character changed is not,
// and neither is anything without the shape of a key; what may be shown and stored of a key never
// gives the key away.

import { describe, expect, test } from "vitest";
import { isPlausibleKey, keyHash, keyPrefix, mintKey } from "./api-key.ts";

/** Of every byte the first value: the random part is then all zeros. */
const zeros = (size: number): Uint8Array => new Uint8Array(size);

describe("a minted key", () => {
  test("has the prefix, 40 random characters and 6 of checksum", () => {
    expect(mintKey("annals")).toMatch(/^annals_sk_[0-9A-Za-z]{46}$/);
    expect(mintKey("annals")).not.toBe(mintKey("annals"));
  });

  test("is the same text for the same random bytes, so that an old key stays a key", () => {
    // The checksum by another implementation: zlib.crc32(b"annals_sk_" + b"0" * 40) in base 62, six digits.
    expect(mintKey("annals", zeros)).toBe(`annals_sk_${"0".repeat(40)}05Vjbb`);
  });

  test("throws away bytes that would make some characters more likely", () => {
    const bytes = Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? 255 : 61));
    expect(mintKey("a", () => Uint8Array.from(bytes))).toMatch(/^a_sk_z{40}/);
  });

  test("is plausible, and with one character changed it is not", () => {
    const key = mintKey("annals");
    expect(isPlausibleKey(key)).toBe(true);
    for (let at = "annals_sk_".length; at < key.length; at += 1) {
      const other = key[at] === "x" ? "y" : "x";
      expect(isPlausibleKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
    expect(isPlausibleKey(key.replace("annals", "annalz"))).toBe(false);
  });
});

describe("a key that an operator brings", () => {
  test.each(["a_sk_0123456789abcdef", `app1_sk_${"x-_Y".repeat(32)}`, "a_sk__sk_0123456789abc"])(
    "%s is plausible without a checksum",
    (key) => expect(isPlausibleKey(key)).toBe(true),
  );
});

test.each([
  ["", "nothing"],
  ["annals_sk_", "no secret"],
  ["annals_sk_0123456789abcde", "a secret of 15 characters"],
  [`annals_sk_${"x".repeat(129)}`, "a secret of 129 characters"],
  ["Annals_sk_0123456789abcdef", "a capital in the prefix"],
  ["1a_sk_0123456789abcdef", "a prefix that begins with a digit"],
  [`${"a".repeat(33)}_sk_0123456789abcdef`, "a prefix of 33 characters"],
  ["annals_pk_0123456789abcdef", "another kind of key"],
  ["annals_sk_0123456789abcdef\n", "a line end"],
  [" annals_sk_0123456789abcdef", "white space before"],
  ["annals_sk_0123456789abcdé0", "a letter that is not ASCII"],
])("%j is no key: %s", (text) => {
  expect(isPlausibleKey(text)).toBe(false);
});

test("what may be shown is the start up to four characters past _sk_, and the last two", () => {
  expect(keyPrefix("annals_sk_abcdefghijklmnop")).toBe("annals_sk_abcd...op");
});

test("what is stored is SHA-256 of the whole key", () => {
  expect(keyHash("abc").toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
