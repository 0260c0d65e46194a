// Steps over the bytes of a JSON text: finds where its members and elements are. Used by json-slices.ts
// alone. It finds where values end and checks nothing else, so a slice need not be JSON. It stops after every
// piece of whatever is long: a value, a name, white space.

import { PIECE_BYTES } from "@annals/contract";
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  JsonFault,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from "@annals/event";

/** Members of an object of a source: those of the formats have a few dozen. */
const MAX_MEMBERS = 1_000;

export class JsonScanner {
  readonly bytes: Buffer;
  at = 0;
  /** The value that is being stepped over: where it begins, and what is open of it. */
  #start = 0;
  #depth = 0;
  #isInString = false;
  #isInWord = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /**
   * The name of each member of the object that is the text, before its value, which the caller takes, and
   * `undefined` after a piece. Escapes are read in names that a format may have, and left in longer ones.
   */
  *names(): Generator<string | undefined, void> {
    const seen = new Set<string>();
    while (this.#isSpaceLong()) yield;
    this.#expect("{");
    while (this.#isSpaceLong()) yield;
    let goesOn = !this.#skip("}");
    while (goesOn) {
      const name = yield* this.#name();
      if (seen.has(name)) throw this.#fault("has a member name that appears more than once");
      if (seen.size === MAX_MEMBERS)
        throw this.#fault(`has more than ${MAX_MEMBERS} members in an object`);
      seen.add(name);
      while (this.#isSpaceLong()) yield;
      this.#expect(":");
      while (this.#isSpaceLong()) yield;
      yield name;
      while (this.#isSpaceLong()) yield;
      goesOn = this.#skip(",");
      if (!goesOn) this.#expect("}");
    }
    yield* this.end();
  }

  isArray(): boolean {
    return this.#next() === OPEN_BRACKET;
  }

  /** True before each element of an array, which the caller takes, and false after a piece. */
  *elements(): Generator<boolean, void> {
    while (this.#isSpaceLong()) yield false;
    this.#expect("[");
    while (this.#isSpaceLong()) yield false;
    let goesOn = !this.#skip("]");
    while (goesOn) {
      yield true;
      while (this.#isSpaceLong()) yield false;
      goesOn = this.#skip(",");
      if (!goesOn) this.#expect("]");
    }
  }

  /** Steps over a value, and returns its bytes; undefined after a piece of a long one, to be called again. */
  value(): Buffer | undefined {
    if (this.#depth === 0 && !this.#isInString && !this.#isInWord) {
      if (this.#isSpaceLong()) return undefined;
      this.#begin();
    }
    const limit = this.at + PIECE_BYTES;
    if (this.#depth > 0) this.#skipNested(limit);
    else if (this.#isInString) this.#skipString(limit);
    else if (this.#isInWord) this.#skipWord(limit);
    if (this.#depth > 0 || this.#isInString || this.#isInWord) return undefined;
    return this.bytes.subarray(this.#start, this.at);
  }

  #begin(): void {
    const first = this.#next();
    this.#start = this.at;
    if (first === QUOTE) this.#openString();
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      this.#depth = 1;
      this.at += 1;
    } else if (isOfWord(first)) this.#isInWord = true;
    else throw this.#fault("has no value where one is expected");
  }

  *end(): Generator<undefined, void> {
    while (this.#isSpaceLong()) yield;
    if (this.#next() !== undefined) throw this.#fault("does not end where its value ends");
  }

  *#name(): Generator<undefined, string> {
    while (this.#isSpaceLong()) yield;
    if (this.#next() !== QUOTE) throw this.#fault("lacks a member name in double quotes");
    const start = this.at;
    this.#openString();
    for (;;) {
      this.#skipString(this.at + PIECE_BYTES);
      if (!this.#isInString) break;
      yield;
    }
    const quoted = this.bytes.toString("utf8", start, this.at);
    const isLong = quoted.length > PIECE_BYTES;
    if (isLong || !quoted.includes("\\")) return quoted.slice(1, -1);
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.#fault("has a member name that is not a JSON string");
    }
  }

  #openString(): void {
    this.#isInString = true;
    this.at += 1;
  }

  /** To the end of the string, or to the first quote in it from `limit` on. */
  #skipString(limit: number): void {
    const bytes = this.bytes;
    let at = this.at;
    while (this.#isInString && at < limit) {
      const end = quoteFrom(bytes, at);
      if (end < 0) throw this.#fault("ends inside a string");
      let escapes = end;
      while (bytes[escapes - 1] === BACKSLASH && escapes - 1 >= at) escapes -= 1;
      at = end + 1;
      this.#isInString = (end - escapes) % 2 === 1;
    }
    this.at = at;
  }

  /** Counts brackets, of either kind: what they enclose is read later, by what refuses a wrong one. */
  #skipNested(limit: number): void {
    const bytes = this.bytes;
    while (this.#depth > 0 && this.at < limit) {
      if (this.#isInString) {
        this.#skipString(limit);
        continue;
      }
      const code = bytes[this.at];
      if (code === undefined) throw this.#fault("ends inside an object or array");
      if (code === QUOTE) {
        this.#openString();
        continue;
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth -= 1;
      this.at += 1;
    }
  }

  #skipWord(limit: number): void {
    while (this.at < limit && isOfWord(this.bytes[this.at])) this.at += 1;
    this.#isInWord = this.at === limit;
  }

  /** Steps over white space, and tells whether a piece was not enough. */
  #isSpaceLong(): boolean {
    if (!isSpace(this.bytes[this.at])) return false;
    const limit = this.at + PIECE_BYTES;
    while (this.at < limit && isSpace(this.bytes[this.at])) this.at += 1;
    return this.at === limit;
  }

  /** The first byte after white space; undefined at the end. */
  #next(): number | undefined {
    while (isSpace(this.bytes[this.at])) this.at += 1;
    return this.bytes[this.at];
  }

  #skip(character: string): boolean {
    if (this.#next() !== character.charCodeAt(0)) return false;
    this.at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw this.#fault(`has no ${character} where one is expected`);
  }

  #fault(what: string): JsonFault {
    return new JsonFault("", `the JSON text ${what}`, this.at);
  }
}

/** Bytes that a loop looks through faster than the platform is called. */
const SHORT = 32;

function quoteFrom(bytes: Buffer, start: number): number {
  for (let at = start; at < start + SHORT; at += 1) if (bytes[at] === QUOTE) return at;
  return bytes.indexOf('"', start + SHORT);
}

/** Whether it can be of a value that is neither quoted nor in brackets. */
function isOfWord(code: number | undefined): boolean {
  if (code === undefined || isSpace(code) || code === COMMA) return false;
  return code !== CLOSE_BRACE && code !== CLOSE_BRACKET;
}

function isSpace(code: number | undefined): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}
