// The reader of large texts, for `readJsonInPieces` and `readJsonLooselyInPieces` alone: it stops after every
// few characters, wherever it is, so that no value is too large for a turn of the event loop. It must read,
// and refuse, exactly what reader.ts does.

import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./character-codes.ts";
import { EMPTY_OBJECT, newObject, setMember } from "./json-object.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";
import { Reader } from "./reader.ts";

/** An object or an array that is open, with what has been read of it. */
type Open =
  | { readonly object: JsonObject; name: string; readonly end: typeof CLOSE_BRACE }
  | { readonly array: JsonValue[]; readonly end: typeof CLOSE_BRACKET };

export class PiecewiseReader extends Reader {
  /** A string of which the end is not reached: where it begins, and up to where it is checked. */
  #string: { readonly start: number; at: number } | undefined;

  /** Reads like readText, but yields after every `characters` characters. */
  *readInPieces(characters: number): Generator<void, JsonValue> {
    const open: Open[] = [];
    let yieldedAt = 0;
    for (;;) {
      let value = this.#string ? this.#goOn(characters) : this.#readOrOpen(open, characters);
      while (value !== undefined) {
        const around = open.at(-1);
        if (around === undefined) return this.end(value);
        put(around, value);
        if (this.goesOn(around.end)) {
          this.#beginNext(around);
          value = undefined;
        } else {
          open.pop();
          value = "object" in around ? around.object : around.array;
        }
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
    if (first === QUOTE) {
      this.#string = { start: this.at + 1, at: this.at + 1 };
      return this.#goOn(characters);
    }
    if (first === OPEN_BRACE) {
      if (!this.open(CLOSE_BRACE)) return EMPTY_OBJECT;
      const object = newObject();
      open.push({ object, name: this.readName(object), end: CLOSE_BRACE });
      return undefined;
    }
    if (first !== OPEN_BRACKET) return this.readValue();
    if (!this.open(CLOSE_BRACKET)) return [];
    this.beginElement(0);
    open.push({ array: [], end: CLOSE_BRACKET });
    return undefined;
  }

  /** Reads on in a string; undefined if its end is not among the next characters. */
  #goOn(characters: number): string | undefined {
    const string = this.#string as { readonly start: number; at: number };
    string.at = this.stringEnd(string.at, string.at + characters);
    if (this.text.charCodeAt(string.at) !== QUOTE) {
      if (string.at >= this.text.length) this.stringEnd(string.at, Infinity);
      return undefined;
    }
    this.#string = undefined;
    this.at = string.at + 1;
    const read = this.text.slice(string.start, string.at);
    return read.includes("\\") ? this.unescaped(string.start, string.at) : read;
  }

  #beginNext(around: Open): void {
    if ("object" in around) around.name = this.readName(around.object);
    else this.beginElement(around.array.length);
  }
}

function put(around: Open, value: JsonValue): void {
  if ("object" in around) setMember(around.object, around.name, value);
  else around.array.push(value);
}
