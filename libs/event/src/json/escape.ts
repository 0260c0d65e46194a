// Checks one escape of a JSON string. Called by the reader, which leaves the unescaping to JSON.parse.

import { LOWER_U } from "./character-codes.ts";

/** Characters of `\u0000`. */
const UNIT_ESCAPE_LENGTH = 6;

/** Character codes that may follow a backslash, `u` apart. */
const ESCAPE_LETTERS: readonly number[] = Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0));

/**
 * The length of the escape at `at`, where a surrogate pair is one escape; or a sentence that says its fault.
 */
export function escapeLength(text: string, at: number): number | string {
  const letter = text.charCodeAt(at + 1);
  if (letter !== LOWER_U) {
    return ESCAPE_LETTERS.includes(letter) ? 2 : "a backslash is not followed by a valid escape";
  }
  const unit = escapedUnit(text, at);
  if (unit === undefined) return "\\u is not followed by four hexadecimal digits";
  if (unit === 0) return "the character U+0000 cannot be stored";
  if (unit < 0xd800 || unit > 0xdfff) return UNIT_ESCAPE_LENGTH;
  const next = at + UNIT_ESCAPE_LENGTH;
  const isPair = unit <= 0xdbff && text.startsWith("\\u", next);
  const second = (isPair && escapedUnit(text, next)) || 0;
  if (second < 0xdc00 || second > 0xdfff) return "half of a surrogate pair is not a character";
  return 2 * UNIT_ESCAPE_LENGTH;
}

function escapedUnit(text: string, at: number): number | undefined {
  const hex = text.slice(at + 2, at + UNIT_ESCAPE_LENGTH);
  return /^[0-9a-fA-F]{4}$/.test(hex) ? Number.parseInt(hex, 16) : undefined;
}
