// Writes events in canonical form from what their scanner has noted of the input, each byte once, and keeps
// the places of their members. Called by event-reader.ts. It must never be given an event that was not read
// to its end.

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./character-codes.ts";
import type { Shape } from "./event-shape.ts";
import { CHILD, EMPTY, END, NAME_END, NAME_START, NEXT, START, VERBATIM } from "./tape.ts";

/** Fewer bytes are copied faster by a loop than by a call. */
const LEAST_BYTES_OF_COPY = 64;

export class EventWriter {
  readonly #in: Buffer;
  readonly #out: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array, capacity: number) {
    this.#in = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#out = Buffer.allocUnsafe(capacity);
  }

  get written(): Uint8Array {
    return this.#out.subarray(0, this.#at);
  }

  put(code: number): void {
    this.#out[this.#at] = code;
    this.#at += 1;
  }

  /** Writes an event whose places begin at `place`. */
  event(shape: Shape, tape: Int32Array, places: Int32Array, place: number): void {
    places[place] = this.#at;
    this.#shape(shape, tape, places, place);
    places[place + 1] = this.#at;
  }

  #shape(shape: Shape, tape: Int32Array, places: Int32Array, place: number): void {
    this.put(OPEN_BRACE);
    let isFirst = true;
    for (const member of shape.members) {
      const { kind, slot } = member;
      if (tape[slot + START] === 0) continue;
      this.#constant(isFirst ? member.head : member.nextHead);
      isFirst = false;
      const start = this.#at;
      if (typeof kind === "object") this.#shape(kind, tape, places, place);
      else this.#value(tape, slot);
      if (member.place === 0) continue;
      const quote = kind === "short" || kind === "text" ? 1 : 0;
      places[place + member.place] = start + quote;
      places[place + member.place + 1] = this.#at - quote;
    }
    this.put(CLOSE_BRACE);
  }

  #value(tape: Int32Array, entry: number): void {
    const start = tape[entry + START] as number;
    const child = tape[entry + CHILD] as number;
    if (child === VERBATIM) return this.#copy(start, tape[entry + END] as number);
    const isObject = this.#in[start] === OPEN_BRACE;
    this.put(isObject ? OPEN_BRACE : OPEN_BRACKET);
    for (let at = child === EMPTY ? 0 : child; at !== 0; at = tape[at + NEXT] as number) {
      if (at !== child) this.put(COMMA);
      if (isObject) {
        this.put(QUOTE);
        this.#copy(tape[at + NAME_START] as number, tape[at + NAME_END] as number);
        this.put(QUOTE);
        this.put(COLON);
      }
      this.#value(tape, at);
    }
    this.put(isObject ? CLOSE_BRACE : CLOSE_BRACKET);
  }

  #copy(start: number, end: number): void {
    const length = end - start;
    if (length >= LEAST_BYTES_OF_COPY) this.#in.copy(this.#out, this.#at, start, end);
    else {
      const [given, out] = [this.#in, this.#out];
      let to = this.#at;
      for (let from = start; from < end; from += 1) {
        out[to] = given[from] as number;
        to += 1;
      }
    }
    this.#at += length;
  }

  #constant(bytes: Uint8Array): void {
    const out = this.#out;
    let to = this.#at;
    for (let from = 0; from < bytes.length; from += 1) {
      out[to] = bytes[from] as number;
      to += 1;
    }
    this.#at = to;
  }
}
