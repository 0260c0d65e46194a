// Guarantee: each role has the scopes of the one below it and more, none can write events, and no other word
// is a role.

import { expect, test } from "vitest";
import { isRole, ROLES, SCOPES_OF_ROLE } from "./roles.ts";
import { orderedScopes } from "./scopes.ts";

test("the scopes of each role, in the order of the scopes", () => {
  expect(SCOPES_OF_ROLE).toStrictEqual({
    viewer: ["events:read"],
    auditor: ["events:read", "verify", "export"],
    manager: ["events:read", "verify", "export", "keys:manage"],
  });
  for (const role of ROLES) {
    const scopes = SCOPES_OF_ROLE[role];
    expect(scopes).toStrictEqual(orderedScopes(scopes));
    expect(scopes).not.toContain("events:write");
  }
});

test("no other word is a role", () => {
  expect(ROLES.every(isRole)).toBe(true);
  for (const word of ["none", "operator", "Manager", "", "constructor", "__proto__"])
    expect(isRole(word)).toBe(false);
});
