// The hashes under which states and the ids of logout tokens are noted when they are used, and for how long.

import { hash } from "node:crypto";

/** Longer than a login may take. */
export const STATE_KEPT_MINUTES = 15;
/** Longer than a logout token is valid, by any clock. */
export const LOGOUT_KEPT_MINUTES = 15;

export function stateSha256(state: string): Buffer {
  return hash("sha256", `state ${state}`, "buffer");
}

export function logoutSha256(issuer: string, id: string): Buffer {
  return hash("sha256", `logout ${JSON.stringify([issuer, id])}`, "buffer");
}
