// The answer to an append, put together from the bytes that were sent to the ledger and what it added to
// them: nothing else of a request waits until its events are stored. It must be, byte for byte, eventJson of
// the stored events.

import {
  EVENT_PARTS,
  eventBeginJson,
  eventEndJson,
  eventJson,
  type EventText,
} from "@annals/event";
import { type AppendReceipt, AppendSchema, NewEventSchema } from "@annals/proto/ledger";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** What stands before the events, and after them. */
export interface Frame {
  readonly open: string;
  readonly close: string;
}

const { events: EVENTS } = AppendSchema.field;
const { action: ACTION, occurredAt: OCCURRED_AT } = NewEventSchema.field;
const PARTS = EVENT_PARTS.map((name) => ({
  key: `,"${name}":`,
  number: NewEventSchema.field[name].number,
}));

/** Of a field's tag, below its number. */
const TYPE_BITS = 3;

/** What an event in the answer has more than as it was sent, about: memory is taken for so much at first. */
const ADDED_BYTES = 400;
/** Of UTF-8, for one unit of UTF-16. */
const MAX_UNIT_BYTES = 3;

/** An answer as it is written, one piece after the other. */
class AnswerWriter {
  readonly #source: Buffer;
  #bytes: Buffer;
  #at = 0;

  /** `source` is what parts are copied from. */
  constructor(source: Uint8Array, expectedBytes: number) {
    this.#source = Buffer.from(source.buffer, source.byteOffset, source.length);
    this.#bytes = Buffer.allocUnsafe(expectedBytes);
  }

  text(text: string): void {
    if (this.#at + text.length * MAX_UNIT_BYTES > this.#bytes.length) {
      this.#makeRoom(Buffer.byteLength(text));
    }
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** `key` is ASCII: a character at a time takes less than one call of `write`. */
  part(key: string, from: number, to: number): void {
    this.#makeRoom(key.length + to - from);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < key.length; index += 1) bytes[at + index] = key.charCodeAt(index);
    at += key.length;
    this.#at = at + this.#source.copy(bytes, at, from, to);
  }

  end(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + bytes);
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Of an append as append-bytes.ts writes it, stored now: UTF-8. */
export function storedAnswer(
  append: Uint8Array,
  receivedAt: string,
  { open, close }: Frame,
  { firstSequenceNumber, createdAt, ids, hashes }: AppendReceipt,
): Buffer {
  const answer = new AnswerWriter(append, append.length + (ids.length + 1) * ADDED_BYTES);
  const reader = new BinaryReader(append);
  reader.tag();
  reader.uint32();
  const first = Number(firstSequenceNumber);
  let text = open;
  let index = 0;
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number !== EVENTS.number) {
      reader.skip(type);
      continue;
    }
    const { texts, starts, ends } = readEvent(reader);
    text += eventBeginJson({
      id: ids[index] ?? "",
      sequenceNumber: first + index,
      action: texts[ACTION.number] ?? "",
    });
    answer.text(text);
    for (const { key, number: part } of PARTS) answer.part(key, starts[part] ?? 0, ends[part] ?? 0);
    text = eventEndJson({
      hash: hashes[index + 1] ?? "",
      previousHash: hashes[index] ?? "",
      occurredAt: texts[OCCURRED_AT.number] ?? "",
      receivedAt,
      createdAt,
    });
    index += 1;
    if (index < ids.length) text += ",";
  }
  answer.text(text + close);
  return answer.end();
}

/** By the numbers of fields: the texts that are needed as such, and where each field begins and ends. */
function readEvent(reader: BinaryReader) {
  const texts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const last = reader.uint32() + reader.pos;
  while (reader.pos < last) {
    // As reader.tag() does, which makes an array of each: all fields of an event have a length.
    const number = reader.uint32() >>> TYPE_BITS;
    if (number === ACTION.number || number === OCCURRED_AT.number) texts[number] = reader.string();
    else {
      const length = reader.uint32();
      starts[number] = reader.pos;
      ends[number] = reader.pos += length;
    }
  }
  return { texts, starts, ends };
}

/** Of an earlier request with the same idempotency key: UTF-8. */
export function replayedAnswer(events: readonly EventText[], { open, close }: Frame): Buffer {
  return Buffer.from(open + events.map(eventJson).join(",") + close);
}
