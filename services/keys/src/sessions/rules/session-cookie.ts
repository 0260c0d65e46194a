// The value of the session cookie: two halves of 32 random bytes in base64url, with a dot between. Keys
// stores the hash of the first. The second seals the ID token of the provider, which the database alone does
// not open. Called by whatever begins, finds or rotates a session.

import { keyHash } from "@annals/contract";

const HALF_BYTES = 32;
const SHAPE = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

export interface SessionCookie {
  readonly text: string;
  readonly secretSha256: Uint8Array;
  /** The second half: it stays the same when the first is replaced. */
  readonly sealing: string;
}

/** A new cookie, or one with a new first half. */
export function newSessionCookie(
  random: (size: number) => Uint8Array,
  sealing = halfOf(random),
): SessionCookie {
  const secret = halfOf(random);
  return { text: `${secret}.${sealing}`, secretSha256: keyHash(secret), sealing };
}

/** Undefined for what cannot be such a value. */
export function readSessionCookie(text: string): SessionCookie | undefined {
  const [, secret, sealing] = SHAPE.exec(text) ?? [];
  if (secret === undefined || sealing === undefined) return undefined;
  return { text, secretSha256: keyHash(secret), sealing };
}

function halfOf(random: (size: number) => Uint8Array): string {
  return Buffer.from(random(HALF_BYTES)).toString("base64url");
}
