// The answer to an append, put together from the bytes that were sent to the ledger and what it added to
// them: nothing else of a request waits until its events are stored. It must be, byte for byte, eventJson of
// the stored events.

import {
  EVENT_PARTS,
  eventBeginJson,
  eventEndJson,
  eventJson,
  type EventText,
} from "@annals/contract";
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

/** An answer whose pieces are gathered before the memory for them is taken. */
class Pieces {
  readonly #source: Uint8Array;
  /** By turns a text, and where the bytes that follow it begin and end. */
  readonly #texts: string[] = [];
  readonly #runs: number[] = [];
  #size = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  add(text: string, from: number, to: number): void {
    this.#texts.push(text);
    this.#runs.push(from, to);
    this.#size += Buffer.byteLength(text) + to - from;
  }

  join(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#size);
    const source = Buffer.from(this.#source.buffer, this.#source.byteOffset, this.#source.length);
    let at = 0;
    for (const [index, text] of this.#texts.entries()) {
      at += bytes.write(text, at);
      at += source.copy(bytes, at, this.#runs[2 * index], this.#runs[2 * index + 1]);
    }
    return bytes;
  }
}

/** Of an append as append-bytes.ts writes it, stored now: UTF-8. */
export function storedAnswer(
  append: Uint8Array,
  receivedAt: string,
  { open, close }: Frame,
  { firstSequenceNumber, createdAt, ids, hashes }: AppendReceipt,
): Buffer {
  const pieces = new Pieces(append);
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
    for (const part of PARTS) {
      pieces.add(text + part.key, starts[part.number] ?? 0, ends[part.number] ?? 0);
      text = "";
    }
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
  pieces.add(text + close, 0, 0);
  return pieces.join();
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
