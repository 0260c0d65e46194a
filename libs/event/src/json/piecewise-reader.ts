// The reader of large texts, for `readJsonInPieces` and `readJsonLooselyInPieces` alone: it stops after every
// few characters, wherever it is, so that no value and no name is too large for a turn of the event loop. It
// must read, and refuse, exactly what reader.ts does, but for objects of more members than any event has:
// the platform lists the names of an object all at once.

import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./character-codes.ts";
import { EMPTY_OBJECT, newObject, setMember } from "./json-object.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";
import { Reader } from "./reader.ts";

/** Members of an object: to list the names of so many takes some 10 ms. */
const MAX_MEMBERS = 32_768;

/** An object or an array that is open, with what has been read of it: a name is undefined before. */
type Open =
  | {
      readonly object: JsonObject;
      members: number;
      name: string | undefined;
      readonly end: typeof CLOSE_BRACE;
    }
  | { readonly array: JsonValue[]; readonly end: typeof CLOSE_BRACKET };

/** A string of which the end is not reached. */
interface OpenString {
  /** What has been read of it, with its escapes undone. */
  readonly parts: string[];
  /** The offset of the next part. */
  start: number;
}

export class PiecewiseReader extends Reader {
  #string: OpenString | undefined;
  /** The offset of the name that is being read. */
  #nameAt = 0;

  /** Reads like readText, but yields after every `characters` characters. */
  *readInPieces(characters: number): Generator<void, JsonValue> {
    const open: Open[] = [];
    let yieldedAt = 0;
    for (;;) {
      let value: JsonValue | undefined;
      let around = open.at(-1);
      if (around !== undefined && "object" in around && around.name === undefined)
        around.name = this.#nameOf(around, characters);
      else if (this.#string) value = this.#goOn(this.#string, characters);
      else value = this.#readOrOpen(open, characters);
      for (; value !== undefined; around = open.at(-1)) {
        if (around === undefined) return this.end(value);
        put(around, value);
        if (this.goesOn(around.end)) {
          if ("array" in around) this.beginElement(around.array.length);
          break;
        }
        open.pop();
        value = "object" in around ? around.object : around.array;
      }
      if (!this.#string && this.at - yieldedAt < characters) continue;
      yieldedAt = this.at;
      yield;
    }
  }

  /**
   * Reads a value; undefined if it is an object or an array with members, which is then open, or too long.
   */
  #readOrOpen(open: Open[], characters: number): JsonValue | undefined {
    const first = this.skipSpace();
    if (first === QUOTE) return this.#begin(characters);
    if (first === OPEN_BRACE) {
      if (!this.open(CLOSE_BRACE)) return EMPTY_OBJECT;
      open.push({ object: newObject(), members: 0, name: undefined, end: CLOSE_BRACE });
      return undefined;
    }
    if (first !== OPEN_BRACKET) return this.readValue();
    if (!this.open(CLOSE_BRACKET)) return [];
    this.beginElement(0);
    open.push({ array: [], end: CLOSE_BRACKET });
    return undefined;
  }

  /** Reads a name, or reads on in one; undefined if its end is not among the next characters. */
  #nameOf(around: Extract<Open, { object: unknown }>, characters: number): string | undefined {
    if (!this.#string) {
      this.#nameAt = this.beginName();
      around.members += 1;
      if (around.members > MAX_MEMBERS)
        throw this.fault(`an object has more than ${MAX_MEMBERS} members`, this.#nameAt);
    }
    const name = this.#string ? this.#goOn(this.#string, characters) : this.#begin(characters);
    if (name !== undefined) this.endName(around.object, name, this.#nameAt);
    return name;
  }

  /** Begins to read the string whose quote is next. */
  #begin(characters: number): string | undefined {
    this.#string = { parts: [], start: this.at + 1 };
    return this.#goOn(this.#string, characters);
  }

  /** Reads on in a string; undefined if its end is not among the next characters. */
  #goOn(string: OpenString, characters: number): string | undefined {
    const { text } = this;
    const { parts, start } = string;
    let end = this.stringEnd(start, start + characters);
    const isEnd = text.charCodeAt(end) === QUOTE;
    if (!isEnd && end >= text.length) this.stringEnd(end, Infinity);
    // The text is UTF-8, so the other half follows.
    if (!isEnd && isFirstHalf(text.charCodeAt(end - 1))) end += 1;
    const read = text.slice(start, end);
    const part = read.includes("\\") ? this.unescaped(start, end) : read;
    if (!isEnd) {
      parts.push(part);
      string.start = end;
      return undefined;
    }
    this.#string = undefined;
    this.at = end + 1;
    return parts.length === 0 ? part : `${parts.join("")}${part}`;
  }
}

function put(around: Open, value: JsonValue): void {
  if ("array" in around) around.array.push(value);
  else {
    setMember(around.object, around.name as string, value);
    around.name = undefined;
  }
}

/** Whether it is the code of the first half of a surrogate pair. */
function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
