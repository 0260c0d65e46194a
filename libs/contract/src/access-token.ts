// The format of a person's access token, `<prefix>_at_<random>` with the checksum of an API key, and how long
// it is valid. A session of the dashboard makes one for each account that it shows.

import { hasChecksum, MINTED_LENGTH, mintSecret } from "./secret-text.ts";

/** Minutes that a token is valid, if its session does not end earlier. */
export const ACCESS_TOKEN_MINUTES = 10;

/**
 * Tokens that a person has in an account, each with a window: a further one takes the place of the oldest.
 */
export const ACCESS_TOKEN_SLOTS = 5;

const MARKER = "_at_";

const SHAPE = new RegExp(`^[a-z][a-z0-9]{0,31}_at_[A-Za-z0-9]{${MINTED_LENGTH}}$`);

export function mintAccessToken(prefix: string, random: (size: number) => Uint8Array): string {
  return mintSecret(prefix + MARKER, random);
}

/** Whether `text` may be a token: its shape and its checksum are right. */
export function isPlausibleAccessToken(text: string): boolean {
  return SHAPE.test(text) && hasChecksum(text);
}
