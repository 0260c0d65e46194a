// The format of an API key (interface 2.1 and 5): `<prefix>_sk_<random>`, where the random part of
// a key that we mint ends in a checksum, so that a mistyped key is refused without asking the
// database.

import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random characters of a minted key: 40 of base 62, about 238 bits. */
const RANDOM_LENGTH = 40;

/** Characters of the checksum: CRC-32 in base 62. */
const CHECKSUM_LENGTH = 6;

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
  const body = `${prefix}_sk_${base62(RANDOM_LENGTH, random)}`;
  return body + checksum(body);
}

/**
 * Whether `text` may be a key: it has the shape, and where it has the length of a minted key its
 * checksum is right. A key that an operator brought has any other length and carries no checksum.
 */
export function isPlausibleKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secretLength = text.length - text.indexOf("_sk_") - "_sk_".length;
  if (secretLength !== RANDOM_LENGTH + CHECKSUM_LENGTH) return true;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The part of a key that may be shown: up to four characters past `_sk_`, three dots, the last two. */
export function keyPrefix(key: string): string {
  const shown = key.indexOf("_sk_") + "_sk_".length + 4;
  return `${key.slice(0, shown)}...${key.slice(-2)}`;
}

/** SHA-256 of a key, 32 bytes: all that is ever stored or sent between services. */
export function keyHash(key: string): Buffer {
  // Through a string, for speed: Node allocates a memory block for each buffer.
  return Buffer.from(hash("sha256", key, "hex"), "hex");
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function base62(length: number, random: (size: number) => Uint8Array): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      // 248 is the largest multiple of 62 in a byte: the rest is discarded to keep every
      // character equally likely.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
