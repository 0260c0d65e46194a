// The reader of large texts, for `readJsonInPieces` alone: it stops between the elements of the arrays in the
// outer object, where a batch has its events. It must read, and refuse, exactly what reader.ts does.

import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET } from "./character-codes.ts";
import { EMPTY_OBJECT, newObject, setMember } from "./json-object.ts";
import type { JsonValue } from "./json-value.ts";
import { Reader } from "./reader.ts";

export class PiecewiseReader extends Reader {
  /** As readText. Yields after so many characters. */
  *readInPieces(characters: number): Generator<void, JsonValue> {
    if (this.skipSpace() !== OPEN_BRACE) return this.readText();
    if (!this.open(CLOSE_BRACE)) return this.end(EMPTY_OBJECT);
    const object = newObject();
    let yieldedAt = 0;
    do {
      const name = this.readName(object);
      if (this.skipSpace() !== OPEN_BRACKET) {
        setMember(object, name, this.readValue());
        continue;
      }
      const array: JsonValue[] = [];
      setMember(object, name, array);
      if (!this.open(CLOSE_BRACKET)) continue;
      do {
        this.beginElement(array.length);
        array.push(this.readValue());
        if (this.at - yieldedAt < characters) continue;
        yieldedAt = this.at;
        yield;
      } while (this.goesOn(CLOSE_BRACKET));
    } while (this.goesOn(CLOSE_BRACE));
    return this.end(object);
  }
}
