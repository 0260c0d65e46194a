// The events of one body, or of one canonical array, an event at a time. Called by event-bytes.ts. It must
// never block the event loop for longer than a piece of the input and one event take.

import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET } from "./character-codes.ts";
import { EventScanner } from "./event-scanner.ts";
import { BATCH_EVENT, EVENT, PLACES_PER_EVENT, type Shape } from "./event-shape.ts";
import { EventWriter } from "./event-writer.ts";
import { NOT_PLAIN } from "./plain-tokens.ts";
import type { ReadLimits } from "./read-limits.ts";
import { END, START } from "./tape.ts";

export interface EventBytes {
  /**
   * A canonical JSON array (RFC 8785) of canonical events, UTF-8. An event has the members `action` and,
   * if given, `occurred_at` and the five parts.
   */
  readonly bytes: Uint8Array;
  readonly count: number;
  /**
   * Offsets into `bytes`, PLACES_PER_EVENT of each event. Of a text (action, occurred_at, ids, types) what is
   * between its quotes, in canonical escapes; of a part the whole object; 0, 0 if the member is absent.
   */
  readonly places: Int32Array;
}

/** The depth and the values count as for `readJson` of the same bytes. */
export interface EventBytesLimits extends ReadLimits {
  readonly maxEvents: number;
}

/** Bytes of the input after which it yields, between two events. */
const PIECE_BYTES = 16 * 1024;

/** Bytes of the shortest event and its comma, `{"type":"a"},`. */
const LEAST_BYTES_OF_EVENT = 13;

/** What canonical form adds to each event at most: `action` in place of `type`. */
const BYTES_ADDED = 2;

/** The brackets around the events. */
const BYTES_AROUND = 2;

/** Events that `places` begins with. */
const FIRST_PLACES = 16;

const EVENTS = Buffer.from("events");

/** Reads the bytes that it was made with, once. */
export class EventReader extends EventScanner {
  readonly #maxEvents: number;
  #places = new Int32Array(0);
  #count = 0;
  #writer: EventWriter | undefined;

  constructor(bytes: Uint8Array, limits: EventBytesLimits, isCanonical: boolean) {
    super(bytes, limits, isCanonical);
    this.#maxEvents = limits.maxEvents;
  }

  /** The event that is the whole text. */
  readEvent(): EventBytes | undefined {
    this.#begin(1);
    const end = this.#readEvent(this.skipSpace(0), 0, EVENT);
    return end < 0 ? undefined : this.#end(end);
  }

  /** The events in `{"events":[…]}`. */
  *readBatch(): Generator<void, EventBytes | undefined> {
    const { bytes } = this;
    const start = this.skipSpace(0);
    if (bytes[start] !== OPEN_BRACE || !this.isDepthAllowed(0)) return undefined;
    const name = this.skipSpace(start + 1);
    const nameEnd = this.skipName(name);
    if (nameEnd < 0 || !this.countValue()) return undefined;
    if (EVENTS.compare(bytes, name + 1, nameEnd) !== 0) return undefined;
    const array = this.skipColon(nameEnd + 1);
    if (array < 0) return undefined;
    this.#begin(FIRST_PLACES);
    const arrayEnd = yield* this.#readEvents(array, 1, BATCH_EVENT);
    if (arrayEnd < 0) return undefined;
    const end = this.skipSpace(arrayEnd);
    return bytes[end] === CLOSE_BRACE ? this.#end(end + 1) : undefined;
  }

  /** The events of a canonical array. */
  *checkArray(): Generator<void, EventBytes | undefined> {
    this.#places = new Int32Array(FIRST_PLACES * PLACES_PER_EVENT);
    const end = yield* this.#readEvents(0, 0, EVENT);
    return end < 0 ? undefined : this.#end(end);
  }

  #begin(events: number): void {
    const { length } = this.bytes;
    const mostEvents = Math.min(this.#maxEvents, Math.ceil(length / LEAST_BYTES_OF_EVENT));
    this.#places = new Int32Array(events * PLACES_PER_EVENT);
    this.#writer = new EventWriter(this.bytes, length + BYTES_AROUND + mostEvents * BYTES_ADDED);
    this.#writer.put(OPEN_BRACKET);
  }

  #end(at: number): EventBytes | undefined {
    if (this.skipSpace(at) !== this.bytes.length) return undefined;
    this.#writer?.put(CLOSE_BRACKET);
    return {
      bytes: this.#writer?.written ?? this.bytes,
      count: this.#count,
      places: this.#places.subarray(0, this.#count * PLACES_PER_EVENT),
    };
  }

  /** Returns where the array ends. */
  *#readEvents(start: number, depth: number, shape: Shape): Generator<void, number> {
    const { bytes } = this;
    if (bytes[start] !== OPEN_BRACKET || !this.isDepthAllowed(depth)) return NOT_PLAIN;
    let at = this.skipSpace(start + 1);
    let yieldedAt = 0;
    for (;;) {
      if (!this.countValue()) return NOT_PLAIN;
      const end = this.#readEvent(at, depth + 1, shape);
      if (end < 0) return NOT_PLAIN;
      at = this.skipSpace(end);
      if (bytes[at] !== COMMA) break;
      at = this.skipSpace(at + 1);
      if (at - yieldedAt < PIECE_BYTES) continue;
      yieldedAt = at;
      yield;
    }
    return bytes[at] === CLOSE_BRACKET ? at + 1 : NOT_PLAIN;
  }

  /** Reads an event, and writes it if that is what the reader is for. */
  #readEvent(at: number, depth: number, shape: Shape): number {
    if (this.#count === this.#maxEvents) return NOT_PLAIN;
    const end = this.skipEvent(at, depth, shape);
    if (end < 0) return NOT_PLAIN;
    const place = this.#count * PLACES_PER_EVENT;
    if (place === this.#places.length) this.#growPlaces();
    this.#count += 1;
    if (this.#writer) {
      if (place > 0) this.#writer.put(COMMA);
      this.#writer.event(shape, this.tape, this.#places, place);
    } else {
      this.#places[place] = at;
      this.#places[place + 1] = end;
      this.#keepPlaces(shape, place);
    }
    return end;
  }

  /** The places of what lies in the input as it is written. */
  #keepPlaces(shape: Shape, place: number): void {
    const { tape } = this;
    for (const { kind, slot, place: own } of shape.members) {
      const start = tape[slot + START] as number;
      if (start === 0) continue;
      if (typeof kind === "object") this.#keepPlaces(kind, place);
      if (own === 0) continue;
      const quote = kind === "short" || kind === "text" ? 1 : 0;
      this.#places[place + own] = start + quote;
      this.#places[place + own + 1] = (tape[slot + END] as number) - quote;
    }
  }

  #growPlaces(): void {
    const longer = new Int32Array(2 * this.#places.length);
    longer.set(this.#places);
    this.#places = longer;
  }
}
