// The values of plain JSON over bytes, and in which order its members have to be written. Extended by
// event-scanner.ts. As plain-tokens.ts it takes where a value begins and returns where it ends. What is not
// canonical as it lies there has entries on the tape; names are compared here, so that one that appears twice
// is not plain. It must recurse no deeper than the limit, and take n log n time for n bytes.

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./character-codes.ts";
import { compareMembers, hasRepeatedName, sortMembers } from "./member-names.ts";
import { NOT_PLAIN, PlainTokens } from "./plain-tokens.ts";
import { DEPTH_CEILING, type ReadLimits } from "./read-limits.ts";
import { CHILD, EMPTY, END, ENTRY, NAME_END, NAME_START, NEXT, START, VERBATIM } from "./tape.ts";

/** Bytes of an object whose members are sorted here: the strict reader takes a larger one piece by piece. */
const MAX_SORTED_BYTES = 128 * 1024;

/** Entries that a tape begins with. */
const FIRST_ENTRIES = 64;

export class PlainScanner extends PlainTokens {
  tape = new Int32Array(FIRST_ENTRIES * ENTRY);
  /** The position of the next entry on the tape. */
  protected top = 0;
  /** What CHILD of the entry of the value becomes that was read last. */
  protected child = VERBATIM;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  #values = 0;
  /** The values at which what is read for itself is no longer plain. */
  #valuesEnd: number;

  constructor(bytes: Uint8Array, limits: ReadLimits, isCanonical: boolean) {
    super(bytes, isCanonical);
    this.#maxDepth = Math.min(limits.maxDepth, DEPTH_CEILING);
    this.#maxValues = limits.maxValues;
    this.#valuesEnd = limits.maxValues;
  }

  /** Limits the plain values from here on: in time, a value costs as much as many bytes. */
  protected boundValues(values: number): void {
    this.#valuesEnd = Math.min(this.#maxValues, this.#values + values);
  }

  protected skipValue(at: number, depth: number): number {
    switch (this.bytes[at]) {
      case QUOTE:
        return this.skipString(at);
      case OPEN_BRACE:
        return this.skipObject(at, depth);
      case OPEN_BRACKET:
        return this.skipArray(at, depth);
      case LOWER_T:
        return this.skipWord(at, TRUE);
      case LOWER_F:
        return this.skipWord(at, FALSE);
      case LOWER_N:
        return this.skipWord(at, NULL);
      default:
        return this.skipNumber(at);
    }
  }

  /** An object of any members. */
  protected skipObject(start: number, depth: number): number {
    if (!this.isDepthAllowed(depth)) return NOT_PLAIN;
    const { bytes } = this;
    const [top, changes] = [this.top, this.changes];
    let at = this.skipSpace(start + 1);
    if (bytes[at] === CLOSE_BRACE) return this.#endEmpty(at, changes);
    let count = 0;
    let last = 0;
    let isSorted = true;
    for (;;) {
      const nameEnd = this.skipName(at);
      if (nameEnd < 0 || !this.countValue()) return NOT_PLAIN;
      const value = this.skipColon(nameEnd + 1);
      if (value < 0) return NOT_PLAIN;
      const member = this.#newEntry();
      const end = this.#skipInto(member, value, depth + 1);
      if (end < 0) return NOT_PLAIN;
      const { tape } = this;
      tape[member + NAME_START] = at + 1;
      tape[member + NAME_END] = nameEnd;
      if (count > 0) {
        tape[last + NEXT] = member;
        if (isSorted && compareMembers(bytes, tape, last, member) >= 0) isSorted = false;
        if (!isSorted && this.isCanonical) return NOT_PLAIN;
      }
      last = member;
      count += 1;
      at = this.skipSpace(end);
      if (bytes[at] !== COMMA) break;
      at = this.skipSpace(at + 1);
    }
    if (bytes[at] !== CLOSE_BRACE) return NOT_PLAIN;
    if (isSorted) return this.#end(at, top, changes);
    if (at - start > MAX_SORTED_BYTES) return NOT_PLAIN;
    this.changes += 1;
    const first = sortMembers(bytes, this.tape, top, count);
    if (this.isRepeated(first)) return NOT_PLAIN;
    this.child = first;
    return at + 1;
  }

  protected skipArray(start: number, depth: number): number {
    if (!this.isDepthAllowed(depth)) return NOT_PLAIN;
    const { bytes } = this;
    const [top, changes] = [this.top, this.changes];
    let at = this.skipSpace(start + 1);
    if (bytes[at] === CLOSE_BRACKET) return this.#endEmpty(at, changes);
    let last = 0;
    for (let count = 0; ; count += 1) {
      if (!this.countValue()) return NOT_PLAIN;
      const element = this.#newEntry();
      const end = this.#skipInto(element, at, depth + 1);
      if (end < 0) return NOT_PLAIN;
      if (count > 0) this.tape[last + NEXT] = element;
      last = element;
      at = this.skipSpace(end);
      if (bytes[at] !== COMMA) break;
      at = this.skipSpace(at + 1);
    }
    return bytes[at] === CLOSE_BRACKET ? this.#end(at, top, changes) : NOT_PLAIN;
  }

  /** Whether two neighbours of the sorted members have the same name. */
  protected isRepeated(first: number): boolean {
    return hasRepeatedName(this.bytes, this.tape, first);
  }

  /** Whether an object or an array may begin within `depth` others. */
  protected isDepthAllowed(depth: number): boolean {
    return depth < this.#maxDepth;
  }

  /** False if the member or the element is one too many. */
  protected countValue(): boolean {
    this.#values += 1;
    return this.#values <= this.#valuesEnd;
  }

  /** Reads the value at `at` and notes it in the entry. */
  #skipInto(entry: number, at: number, depth: number): number {
    this.child = VERBATIM;
    const end = this.skipValue(at, depth);
    // Nothing of it is written anew.
    if (this.isCanonical) return end;
    const { tape } = this;
    tape[entry + START] = at;
    tape[entry + END] = end;
    tape[entry + NEXT] = 0;
    tape[entry + CHILD] = this.child;
    return end;
  }

  /** Closes an object or an array in order, whose entries begin at `top`. */
  #end(at: number, top: number, changes: number): number {
    if (this.changes === changes) {
      // What lies there is canonical, so its entries are not needed.
      this.top = top;
      this.child = VERBATIM;
    } else this.child = top;
    return at + 1;
  }

  #endEmpty(at: number, changes: number): number {
    this.child = this.changes === changes ? VERBATIM : EMPTY;
    return at + 1;
  }

  #newEntry(): number {
    const entry = this.top;
    this.top += ENTRY;
    if (this.top > this.tape.length) {
      const longer = new Int32Array(2 * this.tape.length);
      longer.set(this.tape);
      this.tape = longer;
    }
    return entry;
  }
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const NULL = Buffer.from("null");
