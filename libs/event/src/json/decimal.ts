// The parts of a JSON number, and whether a double keeps its value. Called by the strict reader for numbers
// that are not short. It must stay linear in the length of the text, whatever the exponent is.

import { LOWER_E, MINUS, PLUS, POINT, UPPER_E, ZERO } from "./character-codes.ts";
import { excerpt } from "./json-value.ts";

/** It always matches. A loop takes several times as long over a number of megabytes. */
const DIGITS = /[0-9]*/y;

export function skipDigits(text: string, start: number): number {
  DIGITS.lastIndex = start;
  DIGITS.test(text);
  return DIGITS.lastIndex;
}

/** The fraction and the exponent behind `integerEnd`, or a sentence that says their fault. */
export function restOfNumber(
  text: string,
  integerEnd: number,
):
  | { readonly end: number; readonly fractionDigits: number; readonly hasExponent: boolean }
  | string {
  let end = integerEnd;
  if (text.charCodeAt(end) === POINT) {
    end = skipDigits(text, integerEnd + 1);
    if (end === integerEnd + 1) return "a number has no digit after its point";
  }
  const fractionDigits = Math.max(end - integerEnd - 1, 0);
  const letter = text.charCodeAt(end);
  const hasExponent = letter === LOWER_E || letter === UPPER_E;
  if (hasExponent) {
    const sign = text.charCodeAt(end + 1);
    const exponent = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
    end = skipDigits(text, exponent);
    if (end === exponent) return "a number has no digit in its exponent";
  }
  return { end, fractionDigits, hasExponent };
}

/** Characters of a number shown in a message. */
const MAX_NUMBER_SHOWN = 40;

/**
 * True when the decimal value of `text` (a number of the JSON grammar) equals that of `String(value)`,
 * where `value` is `Number(text)`. So 1.0, 1E5 and 0.10 are kept; 9007199254740993, 1e400 and 1e-400 are
 * not.
 */
export function isFaithful(text: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (value === 0) return isZero(text);
  const given = decimal(text);
  const kept = decimal(String(value));
  return given.digits === kept.digits && given.exponent === kept.exponent;
}

/** Says what a double would make of a number that it does not keep. */
export function unfaithful(text: string, value: number): string {
  const shown = excerpt(text, MAX_NUMBER_SHOWN);
  return `the number ${shown} cannot be kept exactly (a double would make it ${value})`;
}

/** True when every digit before the exponent is 0. */
function isZero(text: string): boolean {
  return /^[-.0]*(?:[eE]|$)/.test(text);
}

/** Many zeros are compared at once: one by one those of a long number take tens of milliseconds. */
const ZEROS = "0".repeat(1_024);

function firstNotZero(digits: string): number {
  let first = 0;
  while (digits.slice(first, first + ZEROS.length) === ZEROS) first += ZEROS.length;
  while (digits.charCodeAt(first) === ZERO) first += 1;
  return first;
}

/** The offset of the zeros at the end. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (digits.slice(end - ZEROS.length, end) === ZEROS) end -= ZEROS.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return end;
}

/**
 * The absolute value as `digits` times ten to the `exponent`, digits without zeros at either end. The
 * exponent is exact here: the value is finite and not zero, so a large one is made up for by as many digits
 * of the text.
 */
function decimal(text: string): { digits: string; exponent: number } {
  const exponentAt = text.search(/[eE]/);
  const mantissa = exponentAt < 0 ? text : text.slice(0, exponentAt);
  const point = mantissa.indexOf(".");
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const digits =
    point < 0 ? mantissa.slice(start) : mantissa.slice(start, point) + mantissa.slice(point + 1);

  // Loops and not /0+$/, which takes quadratic time on a run of zeros in the middle.
  const first = firstNotZero(digits);
  const end = endWithoutZeros(digits);
  const written = exponentAt < 0 ? 0 : Number(text.slice(exponentAt + 1));
  const fractionLength = point < 0 ? 0 : mantissa.length - point - 1;
  return {
    digits: digits.slice(first, end),
    exponent: written - fractionLength + digits.length - end,
  };
}
