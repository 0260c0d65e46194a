// The ids of resources (interface 1): a prefix and lower-case Crockford base 32 text. They are
// opaque to clients.

import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Random characters of an id: 26 of 5 bits, 130 bits. */
const RANDOM_LENGTH = 26;

export type IdPrefix =
  | "acct"
  | "key"
  | "evt"
  | "wh"
  | "wh_del"
  | "wh_evt"
  | "exp"
  | "req"
  | "wtok"
  | "hold"
  | "era"
  | "arc"
  | "sink"
  | "usr"
  | "ses"
  | "rmap"
  | "wkl"
  | "srch";

/** Makes a random id such as `key_8m3k...`. `random(n)` returns n random bytes. */
export function newId(
  prefix: IdPrefix,
  random: (size: number) => Uint8Array = randomBytes,
): string {
  return `${prefix}_${base32(random(RANDOM_LENGTH))}`;
}

const RANDOM_PART = new RegExp(`^[${ALPHABET}]{${RANDOM_LENGTH}}$`);

/**
 * Whether `text` may be an id. Ids come from clients: a text that cannot be one names nothing and need not
 * reach the database, which cannot hold every text.
 */
export function isIdOf(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && RANDOM_PART.test(text.slice(prefix.length + 1));
}

/** One base 32 character for each byte, from its low five bits. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += ALPHABET[byte & 31];
  return text;
}
