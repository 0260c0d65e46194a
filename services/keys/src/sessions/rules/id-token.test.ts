// Guarantee: an ID token is valid within 30 seconds of its times, and five minutes of when it was issued.
// Groups are found where the operator says, and are never cut: too many, or a link in their place, are a
// fault.

import { describe, expect, test } from "vitest";
import { checkTimes, groupsOf, sessionIdOf, shownClaim, subjectOf } from "./id-token.ts";
import { LoginFailure } from "./login-failure.ts";

const NOW = 1_800_000_000;

const groupsUpTo = (length: number) => Array.from({ length }, (_, at) => `group ${at}`);

/** The fault of what throws, and its detail. */
function faultOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error;
    return [error.fault, error.detail].filter((word) => word !== "").join(" ");
  }
}

describe("the times of a token", () => {
  test.each<[string, object, string | undefined]>([
    ["expired 29 s ago", { exp: NOW - 29 }, undefined],
    ["expired 30 s ago", { exp: NOW - 30 }, "token expired"],
    ["expired 31 s ago", { exp: NOW - 31 }, "token expired"],
    ["valid in 30 s", { nbf: NOW + 30 }, undefined],
    ["valid in 31 s", { nbf: NOW + 31 }, "token time"],
    ["issued 300 s ago", { iat: NOW - 300 }, undefined],
    ["issued 301 s ago", { iat: NOW - 301 }, "token time"],
    ["issued in 300 s", { iat: NOW + 300 }, undefined],
    ["issued in 301 s", { iat: NOW + 301 }, "token time"],
    ["without an end", { exp: undefined }, "token format"],
    ["with a text", { iat: String(NOW) }, "token format"],
    ["with no number", { exp: Number.NaN }, "token format"],
  ])("%s", (_, change, fault) => {
    const claims = { exp: NOW + 60, iat: NOW, ...change };
    expect(faultOf(() => checkTimes(claims, NOW))).toBe(fault);
  });
});

test.each([["u-1"], ["ä".repeat(512)]])("a subject may be %j", (sub) => {
  expect(subjectOf({ sub })).toBe(sub);
});

test.each([[undefined], [7], [""], ["a\0b"], ["\ud800"], ["ä".repeat(513)]])(
  "a subject may not be %j",
  (sub) => expect(faultOf(() => subjectOf({ sub }))).toBe("token subject"),
);

test("what is shown is cut, and what is no text is left out", () => {
  expect(shownClaim(" Ada\n Lovelace ")).toBe("Ada Lovelace");
  expect(shownClaim("\u{1f600}".repeat(300))).toBe("\u{1f600}".repeat(255));
  for (const claim of [undefined, null, 7, "", " ", "\n"])
    expect(shownClaim(claim)).toBeUndefined();
});

test("the name of the session at the provider is kept if it can be stored", () => {
  expect(sessionIdOf({ sid: "s-1" })).toBe("s-1");
  for (const sid of [undefined, 7, "", "a\0", "a".repeat(1_025)])
    expect(sessionIdOf({ sid })).toBeUndefined();
});

describe("groups", () => {
  const PATH = ["groups"];

  test.each<[string, object, readonly string[], readonly string[] | undefined]>([
    ["in a list", { groups: ["b", "a", "b"] }, PATH, ["b", "a"]],
    ["as one text", { groups: "a" }, PATH, ["a"]],
    ["none", { groups: [] }, PATH, []],
    ["not there", {}, PATH, undefined],
    ["null", { groups: null }, PATH, undefined],
    ["at a path", { a: { "b.c": { roles: ["x"] } } }, ["a", "b.c", "roles"], ["x"]],
    ["at a path that ends", { a: { b: 7 } }, ["a", "b", "roles"], undefined],
    ["inherited", {}, ["constructor"], undefined],
    ["1,000", { groups: groupsUpTo(1_000) }, PATH, groupsUpTo(1_000)],
    ["of 1,024 bytes", { groups: ["a".repeat(1_024)] }, PATH, ["a".repeat(1_024)]],
    [
      "with another claim that is a link",
      { groups: ["a"], _claim_names: { photo: "src" } },
      PATH,
      ["a"],
    ],
  ])("%s", (_, claims, path, groups) => {
    expect(groupsOf({ ...claims }, path)).toEqual(groups);
  });

  test.each<[string, object]>([
    ["1,001", { groups: groupsUpTo(1_001) }],
    ["over 64 KiB", { groups: Array.from({ length: 65 }, (_, at) => `${at}`.padEnd(1_023, "x")) }],
    ["one over 1,024 bytes", { groups: ["a".repeat(1_025)] }],
    ["an object", { groups: { a: true } }],
    ["a number among them", { groups: ["a", 7] }],
    ["one that cannot be stored", { groups: ["a\0"] }],
    [
      "a link",
      { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } },
    ],
    ["a sign that there are some", { hasgroups: true }],
  ])("%s: a fault", (_, claims) => {
    expect(faultOf(() => groupsOf({ ...claims }, PATH))).toBe("groups");
  });
});
