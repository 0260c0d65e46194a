// ML-DSA-44 with raw public keys. Called by with-node.ts. Node.js 24 verifies it; an older one does not know
// the key, and then the answer is undefined, never false.

import { createPublicKey, type KeyObject, verify as verifyWith } from "node:crypto";

/** What DER has before a public key. */
const PUBLIC_PREFIX = Buffer.from("30820532300b06096086480165030403110382052100", "hex");

/** Undefined if this runtime has no ML-DSA-44. */
export function verify(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean | undefined {
  let key: KeyObject;
  try {
    const der = Buffer.concat([PUBLIC_PREFIX, publicKey]);
    key = createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
  return verifyWith(null, message, key, signature);
}
