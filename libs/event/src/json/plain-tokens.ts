// The tokens of plain JSON over bytes: JSON whose canonical form (RFC 8785) differs from it by white space
// and by the order of members alone. Extended by plain-scanner.ts. A method takes where a token begins and
// returns where it ends, or NOT_PLAIN for a fault and for whatever is not plain: the strict reader decides
// then. It must never accept what `readJson` refuses, and never build a value or a text.
//
// Plain are: strings and names whose escapes are those of canonical JSON; numbers of at most 15 digits as
// ECMAScript writes them, without an exponent. The bytes must be UTF-8.

import { escapeLength } from "./canonical-escape.ts";
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  COLON,
  isDigit,
  LINE_FEED,
  MINUS,
  POINT,
  QUOTE,
  SPACE,
  TAB,
  ZERO,
} from "./character-codes.ts";

/** Returned in place of a position. */
export const NOT_PLAIN = -1;

/** Digits of a decimal that a double always gives back, and that ECMAScript writes the same. */
const SAFE_DIGITS = 15;

/** ECMAScript writes a smaller fraction with an exponent: this many zeros follow its point. */
const ZEROS_OF_EXPONENT = 6;

export class PlainTokens {
  bytes: Uint8Array;
  /** Whether the bytes must be canonical: no white space, members in order. */
  protected readonly isCanonical: boolean;
  /** Runs of white space, and objects out of order, so far. */
  protected changes = 0;

  constructor(bytes: Uint8Array, isCanonical: boolean) {
    this.bytes = bytes;
    this.isCanonical = isCanonical;
  }

  /** Past the white space at `at`. Canonical bytes have none: what is there is then no token either. */
  protected skipSpace(at: number): number {
    const code = this.bytes[at] as number;
    if (code > SPACE || this.isCanonical || !isSpace(code)) return at;
    this.changes += 1;
    let end = at + 1;
    while (isSpace(this.bytes[end] as number)) end += 1;
    return end;
  }

  protected skipString(at: number): number {
    const { bytes } = this;
    let end = at + 1;
    for (;;) {
      const code = bytes[end] as number;
      if (code === QUOTE) return end + 1;
      if (code === BACKSLASH) {
        const length = escapeLength(bytes, end);
        if (length === 0) return NOT_PLAIN;
        end += length;
        // Not `code < SPACE`: there is no byte past the end.
      } else if (code >= SPACE) end += 1;
      else return NOT_PLAIN;
    }
  }

  /** Skips a name: takes the quote before it, returns the quote behind it, or what is negative. */
  protected skipName(at: number): number {
    return this.bytes[at] === QUOTE ? this.skipString(at) - 1 : NOT_PLAIN;
  }

  /** Skips the colon: takes what is behind a name, returns where its value begins. */
  protected skipColon(at: number): number {
    const colon = this.skipSpace(at);
    return this.bytes[colon] === COLON ? this.skipSpace(colon + 1) : NOT_PLAIN;
  }

  protected skipNumber(at: number): number {
    const { bytes } = this;
    const first = bytes[at] === MINUS ? at + 1 : at;
    const integerEnd = this.#skipDigits(first);
    if (integerEnd === first) return NOT_PLAIN;
    const isZero = bytes[first] === ZERO;
    if (isZero && integerEnd > first + 1) return NOT_PLAIN;
    if (bytes[integerEnd] !== POINT) {
      const isMinusZero = isZero && first > at;
      return isMinusZero || integerEnd - first > SAFE_DIGITS ? NOT_PLAIN : integerEnd;
    }
    const fraction = integerEnd + 1;
    const end = this.#skipDigits(fraction);
    if (end === fraction || bytes[end - 1] === ZERO) return NOT_PLAIN;
    if (end - first - 1 > SAFE_DIGITS) return NOT_PLAIN;
    return isZero && this.#zeros(fraction) >= ZEROS_OF_EXPONENT ? NOT_PLAIN : end;
  }

  #skipDigits(at: number): number {
    let end = at;
    while (isDigit(this.bytes[end] as number)) end += 1;
    return end;
  }

  #zeros(at: number): number {
    let end = at;
    while (this.bytes[end] === ZERO) end += 1;
    return end - at;
  }

  protected skipWord(at: number, word: Uint8Array): number {
    for (let index = 1; index < word.length; index += 1) {
      if (this.bytes[at + index] !== word[index]) return NOT_PLAIN;
    }
    return at + word.length;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}
