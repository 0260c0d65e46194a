// The escapes that canonical JSON writes (RFC 8785 3.2.2.2), over bytes: of a quote, a backslash and the
// control characters but U+0000, which cannot be stored. Called by plain-tokens.ts and member-names.ts.

import {
  BACKSLASH,
  isDigit,
  LOWER_A,
  LOWER_B,
  LOWER_F,
  LOWER_N,
  LOWER_R,
  LOWER_T,
  LOWER_U,
  ONE,
  QUOTE,
  ZERO,
} from "./character-codes.ts";

/** Bytes of `\u0001`. */
const UNIT_ESCAPE_LENGTH = 6;

/** The last digits of the control characters that have a short escape. */
const SHORTER: Uint8Array = Buffer.from("89acd");

/** The characters of short escapes, by what follows the backslash. */
const SHORT: ReadonlyMap<number, number> = new Map(
  Array.from('bfnrt"\\', (letter) => [codeOf(letter), codeOf(JSON.parse(`"\\${letter}"`))]),
);

/** Bytes of the escape at `at`; 0 if canonical JSON does not write it. */
export function escapeLength(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] as number;
  if (letter !== LOWER_U) return isShortEscape(letter) ? 2 : 0;
  if (bytes[at + 2] !== ZERO || bytes[at + 3] !== ZERO) return 0;
  const high = bytes[at + 4];
  const low = bytes[at + 5] as number;
  const isHex = isDigit(low) || (low >= LOWER_A && low <= LOWER_F);
  const isShorter = low === ZERO || SHORTER.includes(low);
  const isWritten = isHex && (high === ONE || (high === ZERO && !isShorter));
  return isWritten ? UNIT_ESCAPE_LENGTH : 0;
}

/** The character that the escape at `at` stands for, which must be one that canonical JSON writes. */
export function escapedCode(bytes: Uint8Array, at: number): number {
  const short = SHORT.get(bytes[at + 1] as number);
  if (short !== undefined) return short;
  const low = bytes[at + 5] as number;
  return (bytes[at + 4] === ONE ? 16 : 0) + (isDigit(low) ? low - ZERO : low - LOWER_A + 10);
}

/** Comparisons, not a look into SHORT: this is asked for each escape of a body. A solidus is not escaped. */
function isShortEscape(code: number): boolean {
  return (
    code === QUOTE ||
    code === BACKSLASH ||
    code === LOWER_N ||
    code === LOWER_T ||
    code === LOWER_R ||
    code === LOWER_B ||
    code === LOWER_F
  );
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
