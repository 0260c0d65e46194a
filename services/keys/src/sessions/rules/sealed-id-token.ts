// The ID token of a session as the database has it: sealed with the second half of the session's cookie,
// which the database does not have. Called by what begins and ends sessions.

import { open, seal } from "./sealed.ts";
import type { SessionCookie } from "./session-cookie.ts";

const PURPOSE = "annals id token v1";
/** A larger one is not kept. */
const MAX_SEALED_BYTES = 65_536;

/** Null: it is too large. */
export function sealIdToken(
  { sealing }: SessionCookie,
  idToken: string,
  random: (size: number) => Uint8Array,
): Buffer | null {
  const sealed = seal(keyOf(sealing), Buffer.from(idToken), { purpose: PURPOSE, random });
  return sealed.length > MAX_SEALED_BYTES ? null : sealed;
}

/** Undefined: there is none, or it is not of this session. */
export function openIdToken(
  { sealing }: SessionCookie,
  sealed: Uint8Array | null,
): string | undefined {
  return sealed ? open(keyOf(sealing), sealed, PURPOSE)?.toString() : undefined;
}

function keyOf(sealing: string): Buffer {
  return Buffer.from(sealing, "base64url");
}
