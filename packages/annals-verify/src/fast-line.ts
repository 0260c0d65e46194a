// The fast path of check-line.ts, for a line that is byte for byte as the service writes it: members in its
// order, parts in their canonical text. It hashes the bytes without parsing them. Called by
// jsonl-record.ts and evidence/check-events.ts. It must never accept a line that their parsers would refuse;
// it returns undefined for every other line, bad lines too, and they decide.
//
// A JSON parser reads from such a line the values that were hashed: each part is checked to be canonical, up
// to its closing brace. The maker of a file chooses its digests. Of an event with an erased part, and of a
// record that says what is erased, the parsers read more.

import { CanonicalObjects, JSON_PARTS, leafOfJson, PARTS } from "@annals/event";
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { RECORD_ACTIONS } from "./checked-event.ts";
import type { Place } from "./manifest.ts";
import { PART_LIMITS } from "./read-event.ts";
import { EVENT_ID, TIME } from "./shape.ts";

const HASH_LENGTH = 64;
const TIME_LENGTH = 27;
const SALT_LENGTH = 32;

/** In the order of parts in the line: the text before each, and its index in the proof. */
const PART_KEYS = JSON_PARTS.map((part) => `,"${part}":`);
const INDEX_IN_PROOF = JSON_PARTS.map((part) => PARTS.indexOf(part));

const OPENING_TEXT = '{"event":{"id":"';
const AFTER_ID = '","sequence_number":';
const AFTER_NUMBER = ',"action":';
const BEFORE_DIGESTS = '"},"digests":';
/** Ends the proof and the line. */
const AFTER_DIGESTS = "}}";
/** In ASCII and without an escape: its text is its canonical text. */
const ACTION = /^"[ !#-[\]-~]*"$/;
const RECORDS_AS_JSON = RECORD_ACTIONS.map((action) => `"${action}"`);
const NUMBER = /^[1-9][0-9]{0,15}$/;
const HEX = /^[0-9a-f]+$/;
const CAPITAL = /[A-F]/;

/** What a line says besides its place. */
export interface FastEvent extends Place {
  readonly createdAt: string;
}

export class FastLines {
  readonly #objects = new CanonicalObjects(PART_LIMITS);
  #scratch = Buffer.alloc(64 * 1024);
  #chain: string | undefined;
  #tail: Tail = tailOf("");

  /** Undefined if check-line.ts has to decide. `chain` is the chain that the event must belong to. */
  check(line: Buffer, chain: string): FastEvent | undefined {
    if (chain !== this.#chain) {
      this.#chain = chain;
      this.#tail = tailOf(chain);
    }
    if (line.length + HASH_LENGTH > this.#scratch.length)
      this.#scratch = Buffer.alloc(2 * line.length + HASH_LENGTH);
    // One character per byte, so that offsets in the text are offsets in the line.
    const text = line.toString("latin1");
    const tailAt = line.length - this.#tail.length;
    const values = tailAt > 0 ? readTail(text, tailAt, this.#tail) : undefined;
    return values && this.#checkFront(line, text, tailAt, values);
  }

  #checkFront(line: Buffer, text: string, tailAt: number, tail: string[]): FastEvent | undefined {
    if (!text.startsWith(OPENING_TEXT)) return undefined;
    const idEnd = text.indexOf('"', OPENING_TEXT.length);
    const id = text.slice(OPENING_TEXT.length, idEnd);
    if (!EVENT_ID.is.test(id) || !text.startsWith(AFTER_ID, idEnd)) return undefined;
    const numberAt = idEnd + AFTER_ID.length;
    const numberEnd = text.indexOf(",", numberAt);
    const number = text.slice(numberAt, numberEnd);
    if (!NUMBER.test(number) || !Number.isSafeInteger(Number(number))) return undefined;
    if (!text.startsWith(AFTER_NUMBER, numberEnd)) return undefined;
    const actionAt = numberEnd + AFTER_NUMBER.length;
    const actionEnd = text.indexOf('"', actionAt + 1) + 1;
    const action = text.slice(actionAt, actionEnd);
    if (!ACTION.test(action) || RECORDS_AS_JSON.includes(action)) return undefined;
    if (this.#checkParts(line, text, actionEnd, tail) !== tailAt) return undefined;
    const digestsAt = tailAt + this.#tail.digestsAt;
    const [eventHash = "", previousHash = "", occurredAt = "", receivedAt = "", createdAt = ""] =
      tail;
    const leaf = leafOfJson({
      action,
      chain: `"${this.#chain}"`,
      createdAt,
      digests: text.slice(digestsAt, -AFTER_DIGESTS.length),
      id: `"${id}"`,
      occurredAt,
      previousHash,
      receivedAt,
      sequenceNumber: number,
    });
    const size = this.#scratch.write(`\0${leaf}`, 0, "latin1");
    if (hash("sha256", this.#scratch.subarray(0, size), "hex") !== eventHash) return undefined;
    return { sequenceNumber: Number(number), hash: eventHash, previousHash, createdAt };
  }

  /** The offset after the last part; -1 if a part is not canonical, or does not have its digest. */
  #checkParts(line: Buffer, text: string, from: number, tail: readonly string[]): number {
    if (!isUtf8(line)) return -1;
    let at = from;
    for (let part = 0; part < PART_KEYS.length; part += 1) {
      const before = PART_KEYS[part] ?? "";
      if (!text.startsWith(before, at)) return -1;
      at += before.length;
      const end = this.#objects.end(line, at);
      if (end < 0) return -1;
      const index = INDEX_IN_PROOF[part] ?? 0;
      const saltBytes = this.#scratch.write(tail[FIRST_SALT + index] ?? "", 0, "hex");
      line.copy(this.#scratch, saltBytes, at, end);
      const salted = this.#scratch.subarray(0, saltBytes + end - at);
      if (saltBytes !== SALT_LENGTH / 2) return -1;
      if (hash("sha256", salted, "hex") !== tail[FIRST_DIGEST + index]) return -1;
      at = end;
    }
    return at;
  }
}

/** What follows the last part: fixed texts and values of fixed lengths, alternating. */
interface Tail {
  readonly fixed: readonly string[];
  readonly lengths: readonly number[];
  readonly length: number;
  /** Offset of the first salt's key. */
  readonly saltsAt: number;
  /** Offset of the JSON object of the digests. */
  readonly digestsAt: number;
}

/** Indexes of the values of the tail. */
const PREVIOUS_HASH = 1;
const FIRST_TIME = 2;
const FIRST_SALT = 5;
const FIRST_DIGEST = 10;

function tailOf(chain: string): Tail {
  const fixed = [',"hash":"', '","previous_hash":"'];
  const lengths = [HASH_LENGTH, HASH_LENGTH];
  for (const time of ["occurred_at", "received_at", "created_at"]) {
    fixed.push(`","${time}":"`);
    lengths.push(TIME_LENGTH);
  }
  const opening = `"},"proof":{"v":1,"chain":"${chain}","salts":{`;
  PARTS.forEach((part, index) => {
    fixed.push(`${index === 0 ? opening : '",'}"${part}":"`);
    lengths.push(SALT_LENGTH);
  });
  PARTS.forEach((part, index) => {
    fixed.push(`${index === 0 ? `${BEFORE_DIGESTS}{` : '",'}"${part}":"`);
    lengths.push(HASH_LENGTH);
  });
  fixed.push(`"}${AFTER_DIGESTS}`);
  const sizeTo = (value: number): number =>
    fixed.slice(0, value).join("").length + lengths.slice(0, value).reduce((a, b) => a + b);
  return {
    fixed,
    lengths,
    length: sizeTo(fixed.length),
    saltsAt: sizeTo(FIRST_SALT),
    digestsAt: sizeTo(FIRST_DIGEST) + BEFORE_DIGESTS.length,
  };
}

function readTail(text: string, from: number, tail: Tail): string[] | undefined {
  const { fixed, lengths, saltsAt, digestsAt } = tail;
  const values: string[] = [];
  let at = from;
  for (let index = 0; index < fixed.length; index += 1) {
    const before = fixed[index] ?? "";
    if (!text.startsWith(before, at)) return undefined;
    at += before.length;
    const length = lengths[index];
    if (length === undefined) break;
    values.push(text.slice(at, at + length));
    at += length;
  }
  if (!HEX.test(values[PREVIOUS_HASH] ?? "")) return undefined;
  // Writing a salt as hex detects everything but hexadecimal digits, and accepts capital letters.
  if (CAPITAL.test(text.slice(from + saltsAt, from + digestsAt))) return undefined;
  for (let index = FIRST_TIME; index < FIRST_SALT; index += 1) {
    if (!TIME.is.test(values[index] ?? "")) return undefined;
  }
  return values;
}
