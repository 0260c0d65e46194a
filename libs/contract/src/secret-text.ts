// The random part of API keys, widget tokens and access tokens, and the checksum at its end. Called by
// api-key.ts, widget-token.ts and access-token.ts.

import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random characters of what we mint: 40 of base 62, about 238 bits. */
const RANDOM_LENGTH = 40;

/** Characters of the checksum: CRC-32 in base 62. */
const CHECKSUM_LENGTH = 6;

export const MINTED_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;

/** `lead`, such as `annals_sk_`, with full entropy and a checksum behind it. */
export function mintSecret(lead: string, random: (size: number) => Uint8Array): string {
  const body = lead + base62(RANDOM_LENGTH, random);
  return body + checksum(body);
}

/** Whether the text ends with the checksum of what is before it. */
export function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** What may be shown: `lead` and up to four characters behind it, three dots, the last two. */
export function shownPart(secret: string, lead: number): string {
  return `${secret.slice(0, lead + 4)}...${secret.slice(-2)}`;
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
