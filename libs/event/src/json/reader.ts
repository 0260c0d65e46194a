// One pass over a JSON text, for `readJson` alone: the grammar, the faithfulness of every string and
// number, and the path of a fault. It recurses once for each level, so its caller bounds the depth.
//
// Hand-written, and not JSON.parse followed by a check: both take the same time on an ordinary event,
// but JSON.parse builds a hidden class for each new set of names and stalls for a second on 4 MiB of
// made-up names.

import {
  TAB,
  LINE_FEED,
  CARRIAGE_RETURN,
  SPACE,
  QUOTE,
  COMMA,
  MINUS,
  POINT,
  ZERO,
  COLON,
  UPPER_E,
  OPEN_BRACKET,
  BACKSLASH,
  CLOSE_BRACKET,
  LOWER_E,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  OPEN_BRACE,
  CLOSE_BRACE,
  isDigit,
} from "./character-codes.ts";
import { isFaithful, restOfNumber, skipDigits, unfaithful } from "./decimal.ts";
import { escapeLength } from "./escape.ts";
import { EMPTY_OBJECT, newObject, setMember } from "./json-object.ts";
import { formatPath, JsonFault, type JsonObject, type JsonValue } from "./json-value.ts";
import type { ReadLimits } from "./read-limits.ts";

/** Digits of a decimal that a double always gives back; with fewer, no comparison is needed. */
const SAFE_DIGITS = 15;

/** Reads the text it was made with, once. */
export class Reader {
  protected readonly text: string;
  private readonly limits: ReadLimits;
  protected at = 0;
  /** Members and elements met so far. */
  protected values = 0;
  private depth = 0;
  /** For each open object or array the member being read; undefined while a name is read. */
  private readonly steps: (string | number | undefined)[] = [];

  constructor(text: string, limits: ReadLimits) {
    this.text = text;
    this.limits = limits;
  }

  readText(): JsonValue {
    return this.end(this.readValue());
  }

  protected end(value: JsonValue): JsonValue {
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected("the end of the text");
    return value;
  }

  protected readValue(): JsonValue {
    switch (this.skipSpace()) {
      case QUOTE:
        return this.readString();
      case OPEN_BRACE:
        return this.readObject();
      case OPEN_BRACKET:
        return this.readArray();
      case LOWER_T:
        return this.readWord("true", true);
      case LOWER_F:
        return this.readWord("false", false);
      case LOWER_N:
        return this.readWord("null", null);
      default:
        return this.readNumber();
    }
  }

  private readObject(): JsonObject {
    if (!this.open(CLOSE_BRACE)) return EMPTY_OBJECT;
    const object = newObject();
    do {
      const name = this.readName(object);
      setMember(object, name, this.readValue());
    } while (this.goesOn(CLOSE_BRACE));
    return object;
  }

  private readArray(): JsonValue[] {
    const array: JsonValue[] = [];
    if (!this.open(CLOSE_BRACKET)) return array;
    do {
      this.beginElement(array.length);
      array.push(this.readValue());
    } while (this.goesOn(CLOSE_BRACKET));
    return array;
  }

  /** False if the object or array is empty, and closed. */
  protected open(end: number): boolean {
    const { maxDepth } = this.limits;
    if (this.depth === maxDepth) {
      throw this.fault(`objects and arrays are nested more than ${maxDepth} deep`, this.at);
    }
    this.steps[this.depth] = undefined;
    this.depth += 1;
    this.at += 1;
    if (this.skipSpace() !== end) return true;
    this.close();
    return false;
  }

  /** A new name of the object, and the colon after it. */
  private readName(object: JsonObject): string {
    const nameAt = this.beginName();
    const name = this.readString();
    this.endName(object, name, nameAt);
    return name;
  }

  /** Returns where the name begins, with its quote. */
  protected beginName(): number {
    this.steps[this.depth - 1] = undefined;
    if (this.skipSpace() !== QUOTE) throw this.unexpected("a member name in double quotes");
    return this.at;
  }

  protected endName(object: JsonObject, name: string, nameAt: number): void {
    this.steps[this.depth - 1] = name;
    this.countValue(nameAt);
    if (object[name] !== undefined) {
      throw this.fault("this member name appears more than once in its object", nameAt);
    }
    if (this.skipSpace() !== COLON) throw this.unexpected('":"');
    this.at += 1;
  }

  protected beginElement(index: number): void {
    this.steps[this.depth - 1] = index;
    this.countValue(this.at);
  }

  /** After a member or an element: whether another follows. If not, the object or array is closed. */
  protected goesOn(end: number): boolean {
    const code = this.skipSpace();
    if (code !== COMMA && code !== end)
      throw this.unexpected(`"," or "${String.fromCharCode(end)}"`);
    if (code === COMMA) this.at += 1;
    else this.close();
    return code === COMMA;
  }

  private countValue(at: number): void {
    const { maxValues } = this.limits;
    if (this.values === maxValues) {
      throw this.fault(`the text has more than ${maxValues} members and elements`, at);
    }
    this.values += 1;
  }

  private close(): void {
    this.depth -= 1;
    this.at += 1;
  }

  /**
   * Reads from one quote past the other. Without an escape, the usual case, the text is the value.
   */
  private readString(): string {
    const { text } = this;
    const start = this.at + 1;
    let at = start;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === BACKSLASH) return this.readEscapedString(start, at);
      // Not `code < SPACE`: charCodeAt returns NaN past the end.
      if (!(code >= SPACE)) throw this.badCharacter(at);
      at += 1;
    }
  }

  private readEscapedString(start: number, firstEscape: number): string {
    const end = this.stringEnd(firstEscape, Infinity);
    this.at = end + 1;
    return this.unescaped(start, end);
  }

  /** The end of the string, or the first character from `limit` on. What is before it has been checked. */
  protected stringEnd(from: number, limit: number): number {
    const { text } = this;
    let at = from;
    while (at < limit) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) at += this.escapeAt(at);
      else if (code >= SPACE) at += 1;
      else throw this.badCharacter(at);
    }
    return at;
  }

  /** The platform is the fastest at undoing escapes. */
  protected unescaped(start: number, end: number): string {
    return JSON.parse(`"${this.text.slice(start, end)}"`) as string;
  }

  /** The length of the escape at `at`. */
  protected escapeAt(at: number): number {
    const length = escapeLength(this.text, at);
    if (typeof length === "string") throw this.fault(length, at);
    return length;
  }

  private readNumber(): number | string {
    const { text } = this;
    const start = this.at;
    const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
    if (!isDigit(text.charCodeAt(first))) throw this.unexpected("a value");
    // Most numbers are short integers: to add their digits up is faster than Number() on a piece of text.
    let at = first;
    let value = 0;
    for (let code = text.charCodeAt(at); isDigit(code); code = text.charCodeAt(at)) {
      value = value * 10 + code - ZERO;
      at = at - first < SAFE_DIGITS ? at + 1 : skipDigits(text, at);
    }
    if (at > first + 1 && text.charCodeAt(first) === ZERO)
      throw this.fault("a number begins with 0", start);
    const code = text.charCodeAt(at);
    const isInteger = code !== POINT && code !== LOWER_E && code !== UPPER_E;
    if (!isInteger || at - first > SAFE_DIGITS) return this.readLongNumber(start, first, at);
    this.at = at;
    return start === first || value === 0 ? value : -value;
  }

  /** The rest of a number whose digits before the point end at `integerEnd`. */
  private readLongNumber(start: number, first: number, integerEnd: number): number | string {
    const { text } = this;
    const rest = restOfNumber(text, integerEnd);
    if (typeof rest === "string") throw this.fault(rest, start);
    const { end: at, fractionDigits, hasExponent } = rest;
    const digits = integerEnd - first + fractionDigits;
    this.at = at;
    const token = text.slice(start, at);
    const value = Number(token);
    if ((hasExponent || digits > SAFE_DIGITS) && !isFaithful(token, value))
      return this.unfaithfulNumber(token, value, start);
    return value === 0 ? 0 : value;
  }

  /** What becomes of a number that a double does not keep. */
  protected unfaithfulNumber(token: string, value: number, start: number): string {
    throw this.fault(unfaithful(token, value), start);
  }

  private readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected("a value");
    this.at += word.length;
    return value;
  }

  /** Skips the four characters of JSON white space; returns the code of the next one, NaN at the end. */
  protected skipSpace(): number {
    const { text } = this;
    let at = this.at;
    let code = text.charCodeAt(at);
    while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
      at += 1;
      code = text.charCodeAt(at);
    }
    this.at = at;
    return code;
  }

  private badCharacter(at: number): JsonFault {
    if (at >= this.text.length) return this.fault("the text ends inside a string", at);
    return this.fault("a control character in a string is not escaped", at);
  }

  private unexpected(expected: string): JsonFault {
    const point = this.text.codePointAt(this.at);
    if (point === undefined) return this.fault(`expected ${expected}, but the text ends`, this.at);
    const found = JSON.stringify(String.fromCodePoint(point));
    return this.fault(`expected ${expected}, but found ${found}`, this.at);
  }

  protected fault(message: string, at: number): JsonFault {
    const path = formatPath(this.steps.slice(0, this.depth));
    return new JsonFault(path, message, Buffer.byteLength(this.text.slice(0, at)));
  }
}
