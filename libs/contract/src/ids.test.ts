// Guarantee: an id is its prefix and 26 characters of lower-case Crockford base 32, one for each
// random byte, so that no two are the same in practice and none holds a letter that a person
// misreads.

import { expect, test } from "vitest";
import { base32, newId } from "./ids.ts";

test("an id has its prefix and 130 random bits", () => {
  expect(newId("key")).toMatch(/^key_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(newId("wh_del")).toMatch(/^wh_del_[0-9a-hjkmnp-tv-z]{26}$/);
  const ids = Array.from({ length: 10_000 }, () => newId("evt"));
  expect(new Set(ids).size).toBe(ids.length);
});

test("the random source decides it wholly", () => {
  const asked: number[] = [];
  const random = (size: number): Uint8Array => {
    asked.push(size);
    return Uint8Array.from({ length: size }, (_, index) => index);
  };
  expect(newId("req", random)).toBe("req_0123456789abcdefghjkmnpqrs");
  expect(asked).toStrictEqual([26]);
});

test("base 32 takes the low five bits of each byte, so every character is equally likely", () => {
  const all = base32(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  expect(all.slice(0, 32)).toBe("0123456789abcdefghjkmnpqrstvwxyz");
  expect(all).toBe(all.slice(0, 32).repeat(8));
  expect(base32(new Uint8Array())).toBe("");
});
