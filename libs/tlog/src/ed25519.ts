// Ed25519 with raw keys, as notes have them. Called by sign-note.ts and with-node.ts.

import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signWith,
  verify as verifyWith,
} from "node:crypto";

const SEED_BYTES = 32;

/** What DER has before a seed, and before a public key. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** Throws RangeError for a seed of another size. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed has ${SEED_BYTES} bytes`);
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

export function publicKeyOf(privateKey: KeyObject): Buffer {
  const der = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return der.subarray(PUBLIC_PREFIX.length);
}

export function sign(privateKey: KeyObject, message: Uint8Array): Buffer {
  return signWith(null, message, privateKey);
}

export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const der = Buffer.concat([PUBLIC_PREFIX, publicKey]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  return verifyWith(null, message, key, signature);
}
