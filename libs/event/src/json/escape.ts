// Checks one escape of a JSON string. Called by the reader, which leaves the unescaping to JSON.parse.

import { LOWER_U } from "./character-codes.ts";

/** Characters of `\u0000`. */
const UNIT_ESCAPE_LENGTH = 6;

/** Whether a backslash may stand before a character, `u` apart; its code is the index. */
const IS_ESCAPED: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  '"\\/bfnrt'.includes(String.fromCharCode(code)),
);

/**
 * The length of the escape at `at`, where a surrogate pair is one escape; or a sentence that says its fault.
 */
export function escapeLength(text: string, at: number): number | string {
  const letter = text.charCodeAt(at + 1);
  if (letter !== LOWER_U) {
    return IS_ESCAPED[letter] === true ? 2 : "a backslash is not followed by a valid escape";
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

/** Reads by a table: a text may consist of escapes, and a slice of it for each takes ten times as long. */
function escapedUnit(text: string, at: number): number | undefined {
  const unit =
    (digitOf(text.charCodeAt(at + 2)) << 12) |
    (digitOf(text.charCodeAt(at + 3)) << 8) |
    (digitOf(text.charCodeAt(at + 4)) << 4) |
    digitOf(text.charCodeAt(at + 5));
  return unit < 0 ? undefined : unit;
}

/** The value of a hexadecimal digit; -1 for any other character, and at the end. */
const digitOf = (code: number): number => (code < DIGITS.length ? (DIGITS[code] as number) : -1);

const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);
