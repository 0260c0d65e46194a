// The same decision as check-line.ts, sooner, for a line that stands byte for byte as the service
// writes it: members in its order, parts in their canonical text. The bytes are hashed where they
// lie, without being parsed into values and written again. It answers undefined for every other
// line, one that is at fault included: that one is looked at again, slowly.
//
// Whoever reads such a line as JSON sees the values that were hashed: each part is scanned to the
// brace that closes it.

import { FIELDS } from "@annals/event";
import { hash } from "node:crypto";
import type { Place } from "./manifest.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const FIRST_PRINTABLE = 0x20;

const HASH_LENGTH = 64;
const TIME_LENGTH = 27;
const SALT_LENGTH = 32;

/**
 * Parts in the order of the line, with what stands before each; their places in FIELDS, the order
 * of proofs.
 */
const PARTS = ["actor", "target", "context", "diff", "metadata"] as const;
const BEFORE_PART = PARTS.map((part) => `,"${part}":`);
const PLACE_IN_PROOF = PARTS.map((part) => FIELDS.indexOf(part));

const OPENING_TEXT = '{"event":{"id":"';
const AFTER_ID = '","sequence_number":';
const AFTER_NUMBER = ',"action":';
const ID = /^[a-z0-9_]{1,64}$/;
const NUMBER = /^[1-9][0-9]{0,15}$/;
const HEX = /^[0-9a-f]+$/;
const CAPITAL = /[A-F]/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

export class FastLines {
  #scratch = Buffer.alloc(64 * 1024);
  #chain: string | undefined;
  #tail: Tail = tailOf("");

  /** Undefined where the line has to be looked at slowly. `chain` is the one that it has to be of. */
  check(line: Buffer, chain: string): Place | undefined {
    if (chain !== this.#chain) {
      this.#chain = chain;
      this.#tail = tailOf(chain);
    }
    if (line.length + HASH_LENGTH > this.#scratch.length)
      this.#scratch = Buffer.alloc(2 * line.length + HASH_LENGTH);
    // One character a byte, so that places in the text are places in the line.
    const text = line.toString("latin1");
    const tailAt = line.length - this.#tail.length;
    const values = tailAt > 0 ? readTail(text, tailAt, this.#tail) : undefined;
    return values && this.#checkFront(line, text, tailAt, values);
  }

  #checkFront(line: Buffer, text: string, tailAt: number, tail: string[]): Place | undefined {
    if (!text.startsWith(OPENING_TEXT)) return undefined;
    const idEnd = text.indexOf('"', OPENING_TEXT.length);
    const id = text.slice(OPENING_TEXT.length, idEnd);
    if (!ID.test(id) || !text.startsWith(AFTER_ID, idEnd)) return undefined;
    const numberAt = idEnd + AFTER_ID.length;
    const numberEnd = text.indexOf(",", numberAt);
    const number = text.slice(numberAt, numberEnd);
    if (!NUMBER.test(number) || !text.startsWith(AFTER_NUMBER, numberEnd)) return undefined;
    const actionAt = numberEnd + AFTER_NUMBER.length;
    const actionEnd = line[actionAt] === QUOTE ? stringEnd(line, actionAt) : -1;
    if (actionEnd < 0) return undefined;
    if (this.#checkParts(line, text, actionEnd, tail) !== tailAt) return undefined;
    const action = text.slice(actionAt, actionEnd);
    const leaf = this.#leaf(action, id, number, tail);
    const size = this.#scratch.write(leaf, 0, "latin1");
    const [eventHash = "", previousHash = ""] = tail;
    if (hash("sha256", this.#scratch.subarray(0, size), "hex") !== eventHash) return undefined;
    return { sequenceNumber: Number(number), hash: eventHash, previousHash };
  }

  /** The place after the last part; -1 where a part does not have its digest. */
  #checkParts(line: Buffer, text: string, from: number, tail: readonly string[]): number {
    let at = from;
    for (let part = 0; part < PARTS.length; part += 1) {
      const before = BEFORE_PART[part] ?? "";
      if (!text.startsWith(before, at)) return -1;
      at += before.length;
      const end = line[at] === OPENING ? objectEnd(line, at) : -1;
      if (end < 0) return -1;
      const place = PLACE_IN_PROOF[part] ?? 0;
      const saltBytes = this.#scratch.write(tail[FIRST_SALT + place] ?? "", 0, "hex");
      line.copy(this.#scratch, saltBytes, at, end);
      const salted = this.#scratch.subarray(0, saltBytes + end - at);
      if (saltBytes !== SALT_LENGTH / 2) return -1;
      if (hash("sha256", salted, "hex") !== tail[FIRST_DIGEST + place]) return -1;
      at = end;
    }
    return at;
  }

  #leaf(action: string, id: string, number: string, tail: readonly string[]): string {
    const [, previousHash, occurredAt, receivedAt, createdAt] = tail;
    const digest = (place: number): string => tail[FIRST_DIGEST + place] ?? "";
    return (
      `\0{"action":${action},"chain":"${this.#chain}","created_at":"${createdAt}","digests":{` +
      `"actor":"${digest(0)}","context":"${digest(1)}","diff":"${digest(2)}",` +
      `"metadata":"${digest(3)}","target":"${digest(4)}"},"id":"${id}",` +
      `"occurred_at":"${occurredAt}","previous_hash":"${previousHash}",` +
      `"received_at":"${receivedAt}","sequence_number":${number},"v":1}`
    );
  }
}

/** What stands after the last part: fixed texts and values of fixed lengths, in turn. */
interface Tail {
  readonly fixed: readonly string[];
  readonly lengths: readonly number[];
  readonly length: number;
  /** From where on the tail holds salts, and digests. */
  readonly saltsAt: number;
  readonly digestsAt: number;
}

/** Places among the values of the tail. */
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
  FIELDS.forEach((field, place) => {
    fixed.push(`${place === 0 ? opening : '",'}"${field}":"`);
    lengths.push(SALT_LENGTH);
  });
  FIELDS.forEach((field, place) => {
    fixed.push(`${place === 0 ? '"},"digests":{' : '",'}"${field}":"`);
    lengths.push(HASH_LENGTH);
  });
  fixed.push('"}}}');
  const sizeTo = (value: number): number =>
    fixed.slice(0, value).join("").length + lengths.slice(0, value).reduce((a, b) => a + b);
  return {
    fixed,
    lengths,
    length: sizeTo(fixed.length),
    saltsAt: sizeTo(FIRST_SALT),
    digestsAt: sizeTo(FIRST_DIGEST),
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
  // Whoever reads a salt sees what is no hexadecimal digit, but takes capital letters.
  if (CAPITAL.test(text.slice(from + saltsAt, from + digestsAt))) return undefined;
  for (let index = FIRST_TIME; index < FIRST_SALT; index += 1) {
    if (!TIME.test(values[index] ?? "")) return undefined;
  }
  return values;
}

/** The place after the string that begins at `at`; -1 where it does not end. */
function stringEnd(line: Buffer, at: number): number {
  for (let place = at + 1; place < line.length; place += 1) {
    const byte = line[place] as number;
    if (byte === QUOTE) return place + 1;
    if (byte === BACKSLASH) place += 1;
    else if (byte < FIRST_PRINTABLE) return -1;
  }
  return -1;
}

/** The place after the object that begins at `at`; -1 where it does not end. */
function objectEnd(line: Buffer, at: number): number {
  let depth = 0;
  for (let place = at; place < line.length; place += 1) {
    const byte = line[place] as number;
    if (byte === QUOTE) {
      place = stringEnd(line, place) - 1;
      if (place < 0) return -1;
    } else if (byte === OPENING) depth += 1;
    else if (byte === CLOSING) {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  return -1;
}
