// Guarantee: no address and no number of a declared field, however much of it is typed, is taken for the
// beginning of a text, which the service would refuse. Other texts are.

import { expect, test } from "vitest";
import { isUnordered } from "./unordered.ts";

const beginnings = (value: string) =>
  Array.from({ length: value.length }, (_, at) => value.slice(0, at + 1));

test.each(["fe80::1", "FE80::", "abc:1::", "::1", "2001:db8::/32", "203.0.113.7", "-12.5"])(
  "%s may be an address or a number, wherever it ends",
  (value) => {
    const taken = beginnings(value).filter((prefix) => !isUnordered("field.ip", prefix));
    expect(taken).toStrictEqual([]);
  },
);

test.each(["alice", "faces", "user", "fe80-1", "fe80a:"])(
  "%s is the beginning of a text",
  (value) => expect(isUnordered("field.name", value)).toBe(false),
);

test("a field that every account has is of texts", () =>
  expect(isUnordered("actor_id", "fe80:")).toBe(false));
