// The JSON of events as bytes: what eventJson makes of texts, made of events as bytes and of what the ledger
// added to them. Called by the gateway for the response to an append. It must write the same bytes as
// eventJson.

import { HASH_HEX_LENGTH, ID_LENGTH, JSON_PARTS } from "./event-members.ts";
import { type EventBytes, PLACES_PER_EVENT } from "./json/event-bytes.ts";
import { NO_MEMBERS, PLACE_OF } from "./json/event-places.ts";

/** What the service adds to the events of an append, whose sequence numbers are consecutive. */
export interface AddedBytes {
  readonly firstSequenceNumber: number;
  /** Times are UTC with six fraction digits. One for each event; undefined: when it was received. */
  readonly occurredAts: readonly (string | undefined)[];
  readonly receivedAt: string;
  readonly createdAt: string;
  /** ASCII, {@link ID_LENGTH} bytes for each event. */
  readonly ids: Uint8Array;
  /** ASCII, {@link HASH_HEX_LENGTH} bytes: the hash before the first event, then that of each. */
  readonly hashes: Uint8Array;
}

const PART_PLACES = JSON_PARTS.map((part) => PLACE_OF[part]);
const PART_KEYS = JSON_PARTS.map((part) => Buffer.from(`,"${part}":`));
const ABSENT_PARTS = JSON_PARTS.map((part) => Buffer.from(`,"${part}":${NO_MEMBERS}`));
const ID_KEY = Buffer.from('{"id":"');
const NUMBER_KEY = Buffer.from('","sequence_number":');
const ACTION_KEY = Buffer.from(',"action":"');
const QUOTE = Buffer.from('"');
const HASH_KEY = Buffer.from(',"hash":"');
const PREVIOUS_KEY = Buffer.from('","previous_hash":"');
const OCCURRED_KEY = Buffer.from('","occurred_at":"');
const COMMA = Buffer.from(",");

/** Bytes of an event's JSON without its action, its parts and its sequence number. */
const FIXED_BYTES =
  [ID_KEY, NUMBER_KEY, ACTION_KEY, QUOTE, HASH_KEY, PREVIOUS_KEY, OCCURRED_KEY].reduce(
    (sum, { length }) => sum + length,
    ID_LENGTH + 2 * HASH_HEX_LENGTH,
  ) + "2026-01-31T09:30:00.000000Z".length;

/** `head`, the JSON of the events with commas between, and `tail`. Yields after each `pieceBytes`. */
export function* eventJsonBytes(
  events: EventBytes,
  added: AddedBytes,
  around: { readonly head: string; readonly tail: string; readonly pieceBytes: number },
): Generator<void, Buffer> {
  const ends = Buffer.from(
    `","received_at":"${added.receivedAt}","created_at":"${added.createdAt}"}`,
  );
  const output = new Output(
    sizeOf(events, added, ends.length) + around.head.length + around.tail.length,
  );
  output.text(around.head);
  let yieldedAt = 0;
  for (let index = 0; index < events.count; index += 1) {
    if (index > 0) output.all(COMMA);
    writeEvent(output, events, added, index);
    output.all(ends);
    if (output.at - yieldedAt < around.pieceBytes) continue;
    yieldedAt = output.at;
    yield;
  }
  output.text(around.tail);
  return output.bytes;
}

function sizeOf({ count, places }: EventBytes, added: AddedBytes, endBytes: number): number {
  let size = count * (FIXED_BYTES + endBytes) + (count - 1) * COMMA.length;
  for (let index = 0; index < count; index += 1) {
    const at = index * PLACES_PER_EVENT;
    size += String(added.firstSequenceNumber + index).length;
    size += (places[at + PLACE_OF.action + 1] as number) - (places[at + PLACE_OF.action] as number);
    for (let part = 0; part < PART_PLACES.length; part += 1) {
      const place = at + (PART_PLACES[part] as number);
      const start = places[place] as number;
      size += (PART_KEYS[part] as Buffer).length;
      size += start === 0 ? NO_MEMBERS.length : (places[place + 1] as number) - start;
    }
  }
  return size;
}

function writeEvent(
  output: Output,
  { bytes, places }: EventBytes,
  { firstSequenceNumber, hashes, ids, occurredAts, receivedAt }: AddedBytes,
  index: number,
): void {
  const at = index * PLACES_PER_EVENT;
  output.all(ID_KEY);
  output.slice(ids, index * ID_LENGTH, (index + 1) * ID_LENGTH);
  output.all(NUMBER_KEY);
  output.text(String(firstSequenceNumber + index));
  output.all(ACTION_KEY);
  const action = at + PLACE_OF.action;
  output.slice(bytes, places[action] as number, places[action + 1] as number);
  output.all(QUOTE);
  for (let part = 0; part < PART_PLACES.length; part += 1) {
    const place = at + (PART_PLACES[part] as number);
    const start = places[place] as number;
    if (start === 0) output.all(ABSENT_PARTS[part] as Buffer);
    else {
      output.all(PART_KEYS[part] as Buffer);
      output.slice(bytes, start, places[place + 1] as number);
    }
  }
  const before = index * HASH_HEX_LENGTH;
  const own = before + HASH_HEX_LENGTH;
  output.all(HASH_KEY);
  output.slice(hashes, own, own + HASH_HEX_LENGTH);
  output.all(PREVIOUS_KEY);
  output.slice(hashes, before, own);
  output.all(OCCURRED_KEY);
  output.text(occurredAts[index] ?? receivedAt);
}

/** Bytes up to which a loop takes less time than the platform's copy. */
const SHORT = 64;

/** What is written, from front to back. */
class Output {
  readonly bytes: Buffer;
  at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  all(from: Uint8Array): void {
    this.slice(from, 0, from.length);
  }

  slice(from: Uint8Array, start: number, end: number): void {
    const { at, bytes } = this;
    if (end - start > SHORT) bytes.set(from.subarray(start, end), at);
    else
      for (let each = start; each < end; each += 1) bytes[at + each - start] = from[each] as number;
    this.at = at + end - start;
  }

  /** ASCII. */
  text(text: string): void {
    const { at, bytes } = this;
    for (let each = 0; each < text.length; each += 1) bytes[at + each] = text.charCodeAt(each);
    this.at = at + text.length;
  }
}
