// Seals bytes with AES-256-GCM, and opens them. Called for the cookie of a login and for the ID token of a
// session. What was sealed for one purpose does not open for another.

import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Key = KeyObject | Uint8Array;

/** Nonce, ciphertext and tag. */
export function seal(
  key: Key,
  plain: Uint8Array,
  { purpose, random }: { readonly purpose: string; readonly random: (size: number) => Uint8Array },
): Buffer {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined: it was not sealed with this key for this purpose, or was changed. */
export function open(key: Key, sealed: Uint8Array, purpose: string): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    return undefined;
  }
}
