// Finds values in the bytes of a JSON text without reading them: the members of an object, and the elements
// of a list in its body. Called by the mappings of intake, which then read each value for itself, so that
// what is wrong with one item never costs the others. It must never take more than linear time. It finds
// where values end and checks nothing else, so a slice need not be JSON.

import { atOnce, PIECE_BYTES, type Work } from "@annals/contract";
import { JsonFault } from "@annals/event";

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Members of an object of a source: those of the formats have a few dozen. */
const MAX_MEMBERS = 1_000;

/** The bytes of the value of each member. */
export type Members = ReadonlyMap<string, Buffer>;

export interface JsonList {
  /** The members of the body besides the list. */
  readonly members: Members;
  /** Undefined if the body has no list under the name. */
  readonly elements: readonly Buffer[] | undefined;
  /** How many elements an open list has beyond its maximum, and their bytes. */
  readonly beyond: { readonly count: number; readonly bytes: Buffer } | undefined;
}

interface Wanted {
  readonly maxElements: number;
  readonly name: string;
  /** Whether elements beyond the maximum are counted, and not refused. */
  readonly isOpen?: boolean | undefined;
}

/** The members of an object. Throws JsonFault for anything else, and for two of the same name. */
export function membersOf(bytes: Buffer): Members {
  return atOnce(membersInPieces(bytes));
}

/** The same for an object that may be large. Yields after every piece. */
export function* membersInPieces(bytes: Buffer): Work<Members> {
  const scanner = new Scanner(bytes);
  const members = new Map<string, Buffer>();
  for (const name of scanner.names()) members.set(name, yield* valueOf(scanner));
  scanner.end();
  return members;
}

function* valueOf(scanner: Scanner): Work<Buffer> {
  let value = scanner.value();
  for (; value === undefined; value = scanner.value()) yield;
  return value;
}

/**
 * The body of a list: an object whose member `name` has at most `maxElements` elements. Yields after every
 * piece. Throws JsonFault.
 */
export function* listOf(bytes: Buffer, wanted: Wanted): Work<JsonList> {
  const scanner = new Scanner(bytes);
  const members = new Map<string, Buffer>();
  let list: Omit<JsonList, "members"> = { elements: undefined, beyond: undefined };
  for (const name of scanner.names()) {
    if (name === wanted.name && scanner.isArray()) list = yield* collect(scanner, wanted);
    else members.set(name, yield* valueOf(scanner));
  }
  scanner.end();
  return { ...list, members };
}

/** A body that is an array of at most `maxElements`. Yields after every piece. Throws JsonFault. */
export function* arrayOf(bytes: Buffer, maxElements: number): Work<readonly Buffer[]> {
  const scanner = new Scanner(bytes);
  const { elements } = yield* collect(scanner, { name: "", maxElements });
  scanner.end();
  return elements;
}

function* collect(
  scanner: Scanner,
  { isOpen = false, maxElements, name }: Wanted,
): Work<{ readonly elements: readonly Buffer[]; readonly beyond: JsonList["beyond"] }> {
  const elements: Buffer[] = [];
  let yieldedAt = scanner.at;
  let count = 0;
  let [from, to] = [0, 0];
  for (const _ of scanner.elements()) {
    let element = scanner.value();
    for (; element === undefined; element = scanner.value()) yield;
    if (elements.length < maxElements) elements.push(element);
    else if (isOpen) {
      if (count === 0) from = scanner.at - element.length;
      to = scanner.at;
      count += 1;
    } else throw new JsonFault(name, `must have at most ${maxElements} elements`, scanner.at);
    if (scanner.at - yieldedAt < PIECE_BYTES) continue;
    yieldedAt = scanner.at;
    yield;
  }
  const bytes = scanner.bytes.subarray(from, to);
  return { elements, beyond: count === 0 ? undefined : { count, bytes } };
}

class Scanner {
  readonly bytes: Buffer;
  at = 0;
  /** The value that is being stepped over: where it begins, and what is open of it. */
  #start = 0;
  #depth = 0;
  #isInString = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The name of each member of an object, before its value, which the caller takes. */
  *names(): Generator<string, void> {
    const seen = new Set<string>();
    this.#expect("{");
    if (this.#skip("}")) return;
    do {
      const name = this.#name();
      if (seen.has(name)) throw this.#fault("has a member name that appears more than once");
      if (seen.size === MAX_MEMBERS)
        throw this.#fault(`has more than ${MAX_MEMBERS} members in an object`);
      seen.add(name);
      this.#expect(":");
      yield name;
    } while (this.#skip(","));
    this.#expect("}");
  }

  isArray(): boolean {
    return this.#next() === OPEN_BRACKET;
  }

  /** Before each element of an array, which the caller takes. */
  *elements(): Generator<void, void> {
    this.#expect("[");
    if (this.#skip("]")) return;
    do yield;
    while (this.#skip(","));
    this.#expect("]");
  }

  /** Steps over a value, and returns its bytes; undefined after a piece of a long one, to be called again. */
  value(): Buffer | undefined {
    if (this.#depth === 0 && !this.#isInString) this.#begin();
    const limit = this.at + PIECE_BYTES;
    if (this.#depth > 0) this.#skipNested(limit);
    else if (this.#isInString) this.#skipString(limit);
    if (this.#depth > 0 || this.#isInString) return undefined;
    return this.bytes.subarray(this.#start, this.at);
  }

  #begin(): void {
    const first = this.#next();
    this.#start = this.at;
    if (first === QUOTE) this.#openString();
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      this.#depth = 1;
      this.at += 1;
    } else this.#skipWord();
    if (this.at === this.#start) throw this.#fault("has no value where one is expected");
  }

  end(): void {
    if (this.#next() !== undefined) throw this.#fault("does not end where its value ends");
  }

  #name(): string {
    if (this.#next() !== QUOTE) throw this.#fault("lacks a member name in double quotes");
    const start = this.at;
    this.#openString();
    this.#skipString(Infinity);
    const quoted = this.bytes.toString("utf8", start, this.at);
    if (!quoted.includes("\\")) return quoted.slice(1, -1);
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.#fault("has a member name that is not a JSON string");
    }
  }

  #openString(): void {
    this.#isInString = true;
    this.at += 1;
  }

  /** To the end of the string, or to the first quote in it from `limit` on. */
  #skipString(limit: number): void {
    const bytes = this.bytes;
    let at = this.at;
    while (this.#isInString && at < limit) {
      const end = quoteFrom(bytes, at);
      if (end < 0) throw this.#fault("ends inside a string");
      let escapes = end;
      while (bytes[escapes - 1] === BACKSLASH && escapes - 1 >= at) escapes -= 1;
      at = end + 1;
      this.#isInString = (end - escapes) % 2 === 1;
    }
    this.at = at;
  }

  /** Counts brackets, of either kind: what they enclose is read later, by what refuses a wrong one. */
  #skipNested(limit: number): void {
    const bytes = this.bytes;
    while (this.#depth > 0 && this.at < limit) {
      if (this.#isInString) {
        this.#skipString(limit);
        continue;
      }
      const code = bytes[this.at];
      if (code === undefined) throw this.#fault("ends inside an object or array");
      if (code === QUOTE) {
        this.#openString();
        continue;
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth -= 1;
      this.at += 1;
    }
  }

  #skipWord(): void {
    for (;;) {
      const code = this.bytes[this.at];
      if (code === undefined || isSpace(code) || code === COMMA) return;
      if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return;
      this.at += 1;
    }
  }

  /** The first byte after white space; undefined at the end. */
  #next(): number | undefined {
    while (isSpace(this.bytes[this.at])) this.at += 1;
    return this.bytes[this.at];
  }

  #skip(character: string): boolean {
    if (this.#next() !== character.charCodeAt(0)) return false;
    this.at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw this.#fault(`has no ${character} where one is expected`);
  }

  #fault(what: string): JsonFault {
    return new JsonFault("", `the JSON text ${what}`, this.at);
  }
}

/** Bytes that a loop looks through faster than the platform is called. */
const SHORT = 32;

function quoteFrom(bytes: Buffer, start: number): number {
  for (let at = start; at < start + SHORT; at += 1) if (bytes[at] === QUOTE) return at;
  return bytes.indexOf('"', start + SHORT);
}

function isSpace(code: number | undefined): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}
