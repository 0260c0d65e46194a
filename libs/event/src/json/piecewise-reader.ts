// The reader of large texts, for `readJsonInPieces` alone: it stops between the elements of an outer array,
// as the events of an append are, and of the arrays in an outer object, where a batch has its events. It must
// read, and refuse, exactly what reader.ts does.

import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET } from "./character-codes.ts";
import { EMPTY_OBJECT, newObject, setMember } from "./json-object.ts";
import type { JsonValue } from "./json-value.ts";
import { Reader } from "./reader.ts";

export class PiecewiseReader extends Reader {
  #yieldedAt = 0;

  /** Reads like readText, but yields after every `characters` characters. */
  *readInPieces(characters: number): Generator<void, JsonValue> {
    const first = this.skipSpace();
    if (first === OPEN_BRACKET) return this.end(yield* this.#readArray(characters));
    if (first !== OPEN_BRACE) return this.readText();
    if (!this.open(CLOSE_BRACE)) return this.end(EMPTY_OBJECT);
    const object = newObject();
    do {
      const name = this.readName(object);
      if (this.skipSpace() === OPEN_BRACKET)
        setMember(object, name, yield* this.#readArray(characters));
      else setMember(object, name, this.readValue());
    } while (this.goesOn(CLOSE_BRACE));
    return this.end(object);
  }

  *#readArray(characters: number): Generator<void, JsonValue[]> {
    const array: JsonValue[] = [];
    if (!this.open(CLOSE_BRACKET)) return array;
    do {
      this.beginElement(array.length);
      array.push(this.readValue());
      if (this.at - this.#yieldedAt < characters) continue;
      this.#yieldedAt = this.at;
      yield;
    } while (this.goesOn(CLOSE_BRACKET));
    return array;
  }
}
