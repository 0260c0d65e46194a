// Guarantee: the scopes are the five words of interface 2 in their order, and whatever order,
// repetition or stranger comes in, they go out in that order, once, and known.

import { expect, test } from "vitest";
import { ANY_KEY, isPermitted, isScope, orderedScopes, SCOPES, WIDGET } from "./scopes.ts";

test("the five words in the order of the interface", () => {
  expect(SCOPES).toStrictEqual(["events:read", "events:write", "verify", "export", "keys:manage"]);
});

test.each([
  [[], []],
  [["verify"], ["verify"]],
  [
    ["keys:manage", "events:read", "keys:manage"],
    ["events:read", "keys:manage"],
  ],
  [["admin", "", "VERIFY", "export"], ["export"]],
  [[...SCOPES].toReversed(), [...SCOPES]],
])("%j become %j", (given, expected) => {
  expect(orderedScopes(given)).toStrictEqual(expected);
});

test("a word that every object knows is no scope", () => {
  for (const word of ["constructor", "__proto__", "toString", "events:read "])
    expect(isScope(word)).toBe(false);
  expect(SCOPES.every(isScope)).toBe(true);
});

test("any key is every one that has a scope, and no widget token", () => {
  for (const scope of SCOPES) expect(isPermitted([scope], ANY_KEY)).toBe(true);
  for (const scopes of [[], [WIDGET], [ANY_KEY]]) expect(isPermitted(scopes, ANY_KEY)).toBe(false);
  expect(isPermitted(["verify"], "export")).toBe(false);
  expect(isPermitted([WIDGET], WIDGET)).toBe(true);
});
