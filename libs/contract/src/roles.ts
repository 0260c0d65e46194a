// The roles of people in an account, and the scopes that each has. Called by keys, which finds the role of
// each request, and by the gateway, whose routes take one. Nobody has `events:write`: programs write.

import type { Scope } from "./scopes.ts";

/** Roles, the lowest first. */
export const ROLES = ["viewer", "auditor", "manager"] as const;

export type Role = (typeof ROLES)[number];

/** What a mapping can say: `none` refuses the account to whom it names, whatever other mappings give. */
export const MAPPED_ROLES = ["none", ...ROLES] as const;

export type MappedRole = (typeof MAPPED_ROLES)[number];

const VIEWER = ["events:read"] as const;
const AUDITOR = [...VIEWER, "verify", "export"] as const;

/** In the order of the scopes. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: VIEWER,
  auditor: AUDITOR,
  manager: [...AUDITOR, "keys:manage"],
};

export function isRole(word: string): word is Role {
  return Object.hasOwn(SCOPES_OF_ROLE, word);
}

/** Mappings of one account. */
export const MAX_ROLE_MAPPINGS = 200;
