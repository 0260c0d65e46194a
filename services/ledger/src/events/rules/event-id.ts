// The id of an event: `evt_`, the sequence number in 13 characters of base 32, and 13 random
// characters. To clients it is opaque. Here it gives the key of the row, so that events need no
// index by id. The random part is compared when an event is read, so that ids of one account cannot be
// guessed from another.

import { base32 } from "@annals/contract";

const PREFIX = "evt_";
const SEQUENCE_LENGTH = 13;
export const ID_RANDOM_BYTES = 13;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SHAPE = /^evt_([0-9a-hjkmnp-tv-z]{13})[0-9a-hjkmnp-tv-z]{13}$/;

/** `random` gives {@link ID_RANDOM_BYTES} bytes. */
export function eventId(sequenceNumber: number, random: Uint8Array): string {
  let text = "";
  for (let rest = sequenceNumber; rest > 0; rest = Math.floor(rest / 32))
    text = ALPHABET[rest % 32] + text;
  return PREFIX + text.padStart(SEQUENCE_LENGTH, "0") + base32(random);
}

/** The sequence number in an id, or undefined if the text is not a valid id. */
export function sequenceOfId(id: string): number | undefined {
  const digits = SHAPE.exec(id)?.[1];
  if (digits === undefined) return undefined;
  let sequence = 0;
  for (const digit of digits) sequence = sequence * 32 + ALPHABET.indexOf(digit);
  return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : undefined;
}
