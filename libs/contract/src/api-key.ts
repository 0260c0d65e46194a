// The format of an API key (interface 2 and 5): `<prefix>_sk_<random>`, where the random part of
// a key that we mint ends in a checksum, so that a mistyped key is refused without asking the
// database.

import { hash, randomBytes } from "node:crypto";
import { hasChecksum, MINTED_LENGTH, mintSecret, shownPart } from "./secret-text.ts";

const MARKER = "_sk_";

/**
 * Characters past `_sk_` that a key may have. The shortest is for keys that an operator brings (95
 * bits at best).
 */
const MIN_SECRET_LENGTH = 16;
const MAX_SECRET_LENGTH = 128;

const SHAPE = new RegExp(
  `^[a-z][a-z0-9]{0,31}_sk_[A-Za-z0-9_-]{${MIN_SECRET_LENGTH},${MAX_SECRET_LENGTH}}$`,
);

/** Mints a key of full entropy, such as `annals_sk_4fQ...`. */
export function mintKey(
  prefix: string,
  random: (size: number) => Uint8Array = randomBytes,
): string {
  return mintSecret(prefix + MARKER, random);
}

/**
 * Whether `text` may be a key: it has the shape, and if it has the length of a minted key its
 * checksum is right. A key that an operator brought has any other length and carries no checksum.
 */
export function isPlausibleKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  return text.length - leadOf(text) !== MINTED_LENGTH || hasChecksum(text);
}

/** The part of a key that may be shown: up to four characters past `_sk_`, three dots, the last two. */
export function keyPrefix(key: string): string {
  return shownPart(key, leadOf(key));
}

/** SHA-256 of a key or a token, 32 bytes: all that is ever stored or sent between services. */
export function keyHash(key: string): Buffer {
  // Through a string, for speed: Node allocates a memory block for each buffer.
  return Buffer.from(hash("sha256", key, "hex"), "hex");
}

function leadOf(key: string): number {
  return key.indexOf(MARKER) + MARKER.length;
}
