// Whether bytes are the canonical JSON (RFC 8785) of an object: the plain scanner over bytes that must be
// canonical as they lie there. Called by annals-verify for each part of an export.

import { isUtf8 } from "node:buffer";
import { isDigit, LOWER_E, MINUS, OPEN_BRACE, PLUS, POINT } from "./character-codes.ts";
import { JsonFault } from "./json-value.ts";
import { PlainScanner } from "./plain-scanner.ts";
import { NOT_PLAIN } from "./plain-tokens.ts";
import type { ReadLimits } from "./read-limits.ts";
import { readJson } from "./read-json.ts";

/** Characters of a number whose digits a double always keeps, with a sign and a point. */
const SHORT_NUMBER = 17;

/** Reads objects of any number of texts; it keeps its tape from one to the next. */
export class CanonicalObjects extends PlainScanner {
  readonly #limits: ReadLimits;

  constructor(limits: ReadLimits) {
    super(new Uint8Array(0), { ...limits, maxValues: Infinity }, true);
    this.#limits = limits;
  }

  /** The offset after the canonical object that begins at `from` of UTF-8; negative if none does. */
  end(bytes: Buffer, from: number): number {
    this.bytes = bytes;
    this.top = 0;
    return bytes[from] === OPEN_BRACE ? this.skipObject(from, 0) : NOT_PLAIN;
  }

  /** Throws a JsonFault unless `bytes` are a canonical object. */
  check(bytes: Buffer): void {
    if (isUtf8(bytes) && this.end(bytes, 0) === bytes.length) return;
    // The strict reader says what is wrong.
    const value = readJson(bytes, this.#limits);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    throw new JsonFault("", isObject ? "is not in canonical form" : "is not a JSON object", 0);
  }

  /** A number that is not short is written as ECMAScript writes its double (RFC 8785 3.2.2.3). */
  protected override skipNumber(at: number): number {
    const { bytes } = this;
    let end = at;
    while (isOfNumber(bytes[end] as number)) end += 1;
    if (end - at <= SHORT_NUMBER && super.skipNumber(at) === end) return end;
    const token = (bytes as Buffer).toString("latin1", at, end);
    return token !== "" && String(Number(token)) === token ? end : NOT_PLAIN;
  }
}

/** Whether the character can be part of a number. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === LOWER_E || code === MINUS || code === PLUS;
}
