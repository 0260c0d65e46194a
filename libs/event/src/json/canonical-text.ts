// Whether a text is the canonical JSON (RFC 8785) of an object, in one pass that builds no value.
// annals-verify asks so for each part of an export. It must accept exactly what `canonicalJson` writes of
// what `readJson` reads: the tests compare the two.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LOWER_E,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  isDigit,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  SPACE,
  ZERO,
} from "./character-codes.ts";
import { JsonFault } from "./json-value.ts";
import { decodeUtf8 } from "./utf8.ts";

/** The escapes of RFC 8785 3.2.2.2, without U+0000, which cannot be stored. */
const ESCAPE = /\\(?:["\\bfnrt]|u00(?:0[1-7bef]|1[0-9a-f]))/y;

/** Digits of an integer that a double always gives back. */
const SAFE_DIGITS = 15;

/**
 * Throws a JsonFault if `bytes` are not the UTF-8 of a canonical object whose objects and arrays nest at
 * most `maxDepth` deep.
 */
export function checkCanonicalObject(bytes: Uint8Array, maxDepth: number): void {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new JsonFault("", "is not valid UTF-8", 0);
  const canonical = new CanonicalText(text, 0, maxDepth);
  if (canonical.end() < text.length) throw canonical.fault("has text after its end");
}

/** Returns the offset after the canonical object that begins at `from`. Throws a JsonFault if none does. */
export function canonicalObjectEnd(text: string, from: number, maxDepth: number): number {
  return new CanonicalText(text, from, maxDepth).end();
}

class CanonicalText {
  readonly #text: string;
  readonly #maxDepth: number;
  #at: number;
  #depth = 0;

  constructor(text: string, from: number, maxDepth: number) {
    this.#text = text;
    this.#at = from;
    this.#maxDepth = maxDepth;
  }

  /** The offset after the object. */
  end(): number {
    if (this.#text.charCodeAt(this.#at) !== OPEN_BRACE) throw this.fault("is not a JSON object");
    this.#object();
    return this.#at;
  }

  #value(): void {
    switch (this.#text.charCodeAt(this.#at)) {
      case QUOTE:
        this.#string();
        return;
      case OPEN_BRACE:
        this.#object();
        return;
      case OPEN_BRACKET:
        this.#array();
        return;
      case LOWER_T:
        return this.#word("true");
      case LOWER_F:
        return this.#word("false");
      case LOWER_N:
        return this.#word("null");
      default:
        this.#number();
    }
  }

  #object(): void {
    if (this.#opensEmpty(CLOSE_BRACE)) return;
    let before: string | undefined;
    for (;;) {
      const nameAt = this.#at;
      if (this.#text.charCodeAt(nameAt) !== QUOTE) throw this.fault("expected a member name");
      const name = this.#name();
      if (before !== undefined && name <= before) {
        this.#at = nameAt;
        throw this.fault("member names are not in canonical order, each once");
      }
      before = name;
      if (this.#text.charCodeAt(this.#at) !== COLON) throw this.fault('expected ":"');
      this.#at += 1;
      this.#value();
      if (this.#isLast(CLOSE_BRACE)) return;
    }
  }

  #array(): void {
    if (this.#opensEmpty(CLOSE_BRACKET)) return;
    do this.#value();
    while (!this.#isLast(CLOSE_BRACKET));
  }

  /** Enters an object or an array. Whether it is empty, and so left again. */
  #opensEmpty(close: number): boolean {
    if (this.#depth === this.#maxDepth) {
      throw this.fault(`objects and arrays are nested more than ${this.#maxDepth} deep`);
    }
    this.#at += 1;
    if (this.#text.charCodeAt(this.#at) === close) {
      this.#at += 1;
      return true;
    }
    this.#depth += 1;
    return false;
  }

  /** After a member or an element: whether it was the last one, and the object or the array is left. */
  #isLast(close: number): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (code !== COMMA && code !== close) {
      throw this.fault(`expected "," or "${String.fromCharCode(close)}"`);
    }
    this.#at += 1;
    if (code === COMMA) return false;
    this.#depth -= 1;
    return true;
  }

  #name(): string {
    const start = this.#at;
    const isEscaped = this.#string();
    const text = this.#text.slice(start, this.#at);
    return isEscaped ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  /** Reads past the closing quote. Whether the string has an escape. */
  #string(): boolean {
    const text = this.#text;
    let isEscaped = false;
    let at = this.#at + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = at;
        this.#at = at;
        if (!ESCAPE.test(text)) throw this.fault("an escape is not canonical");
        isEscaped = true;
        at = ESCAPE.lastIndex;
      } else if (code >= SPACE) at += 1;
      else {
        // Past the end the code is NaN.
        this.#at = at;
        throw this.fault("a string is not closed, or has a control character");
      }
    }
    this.#at = at + 1;
    return isEscaped;
  }

  /** RFC 8785 3.2.2.3: as ECMAScript writes the double. */
  #number(): void {
    const start = this.#at;
    const text = this.#text;
    let at = start;
    while (isDigit(text.charCodeAt(at))) at += 1;
    const isShort = at > start && at - start <= SAFE_DIGITS;
    const isPlain = isShort && (at === start + 1 || text.charCodeAt(start) !== ZERO);
    if (!isPlain || isOfNumber(text.charCodeAt(at))) {
      while (isOfNumber(text.charCodeAt(at))) at += 1;
      const token = text.slice(start, at);
      if (String(Number(token)) !== token) throw this.fault("expected a canonical value");
    }
    this.#at = at;
  }

  #word(word: string): void {
    if (!this.#text.startsWith(word, this.#at)) throw this.fault("expected a canonical value");
    this.#at += word.length;
  }

  fault(message: string): JsonFault {
    return new JsonFault("", message, Buffer.byteLength(this.#text.slice(0, this.#at)));
  }
}

/** Whether the character can be part of a number. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === LOWER_E || code === MINUS || code === PLUS;
}
