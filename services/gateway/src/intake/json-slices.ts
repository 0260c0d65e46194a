// Finds values in the bytes of a JSON text without reading them: the members of an object, and the elements
// of a list in its body. Called by the mappings of intake, which then read each value for itself, so that
// what is wrong with one item never costs the others. It must never take more than linear time. It finds
// where values end and checks nothing else, so a slice need not be JSON.

import { PIECE_BYTES, type Work } from "@annals/contract";
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

/** The bytes of the value of each member. */
export type Members = ReadonlyMap<string, Buffer>;

export interface JsonList {
  /** The members of the body besides the list. */
  readonly members: Members;
  /** Undefined if the body has no list under the name. */
  readonly elements: readonly Buffer[] | undefined;
}

/** The members of an object. Throws JsonFault for anything else, and for two of the same name. */
export function membersOf(bytes: Buffer): Members {
  const scanner = new Scanner(bytes);
  const members = new Map<string, Buffer>();
  for (const name of scanner.names()) members.set(name, scanner.value());
  scanner.end();
  return members;
}

/**
 * The body of a list: an object whose member `name` has at most `maxElements` elements. Yields after every
 * piece. Throws JsonFault.
 */
export function* listOf(
  bytes: Buffer,
  { maxElements, name: wanted }: { readonly maxElements: number; readonly name: string },
): Work<JsonList> {
  const scanner = new Scanner(bytes);
  const members = new Map<string, Buffer>();
  let elements: readonly Buffer[] | undefined;
  for (const name of scanner.names()) {
    if (name !== wanted || !scanner.isArray()) {
      members.set(name, scanner.value());
      continue;
    }
    elements = yield* collect(scanner, wanted, maxElements);
  }
  scanner.end();
  return { members, elements };
}

/** A body that is an array of at most `maxElements`. Yields after every piece. Throws JsonFault. */
export function* arrayOf(bytes: Buffer, maxElements: number): Work<readonly Buffer[]> {
  const scanner = new Scanner(bytes);
  const elements = yield* collect(scanner, "", maxElements);
  scanner.end();
  return elements;
}

function* collect(scanner: Scanner, name: string, maxElements: number): Work<readonly Buffer[]> {
  const elements: Buffer[] = [];
  let yieldedAt = scanner.at;
  for (const element of scanner.elements()) {
    if (elements.length === maxElements)
      throw new JsonFault(name, `must have at most ${maxElements} elements`, scanner.at);
    elements.push(element);
    if (scanner.at - yieldedAt < PIECE_BYTES) continue;
    yieldedAt = scanner.at;
    yield;
  }
  return elements;
}

class Scanner {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The name of each member of an object, before its value, which the caller takes. */
  *names(): Generator<string, void> {
    const seen = new Set<string>();
    this.#expect("{");
    if (this.#skip("}")) return;
    do {
      const name = this.#name();
      if (seen.has(name)) throw this.#fault("has a member name that appears more than once");
      seen.add(name);
      this.#expect(":");
      yield name;
    } while (this.#skip(","));
    this.#expect("}");
  }

  isArray(): boolean {
    return this.#next() === OPEN_BRACKET;
  }

  *elements(): Generator<Buffer, void> {
    this.#expect("[");
    if (this.#skip("]")) return;
    do yield this.value();
    while (this.#skip(","));
    this.#expect("]");
  }

  /** Steps over a value, and returns its bytes. */
  value(): Buffer {
    const first = this.#next();
    const start = this.at;
    if (first === QUOTE) this.#skipString();
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) this.#skipNested();
    else this.#skipWord();
    if (this.at === start) throw this.#fault("has no value where one is expected");
    return this.#bytes.subarray(start, this.at);
  }

  end(): void {
    if (this.#next() !== undefined) throw this.#fault("does not end where its value ends");
  }

  #name(): string {
    if (this.#next() !== QUOTE) throw this.#fault("lacks a member name in double quotes");
    const start = this.at;
    this.#skipString();
    const quoted = this.#bytes.toString("utf8", start, this.at);
    if (!quoted.includes("\\")) return quoted.slice(1, -1);
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.#fault("has a member name that is not a JSON string");
    }
  }

  #skipString(): void {
    const bytes = this.#bytes;
    let at = this.at + 1;
    for (;;) {
      const end = bytes.indexOf('"', at);
      if (end < 0) throw this.#fault("ends inside a string");
      let escapes = end;
      while (bytes[escapes - 1] === BACKSLASH && escapes - 1 >= at) escapes -= 1;
      at = end + 1;
      if ((end - escapes) % 2 === 0) break;
    }
    this.at = at;
  }

  /** Counts brackets, of either kind: what they enclose is read later, by what refuses a wrong one. */
  #skipNested(): void {
    const bytes = this.#bytes;
    let depth = 0;
    do {
      const code = bytes[this.at];
      if (code === undefined) throw this.#fault("ends inside an object or array");
      if (code === QUOTE) {
        this.#skipString();
        continue;
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
      this.at += 1;
    } while (depth > 0);
  }

  #skipWord(): void {
    for (;;) {
      const code = this.#bytes[this.at];
      if (code === undefined || isSpace(code) || code === COMMA) return;
      if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return;
      this.at += 1;
    }
  }

  /** The first byte after white space; undefined at the end. */
  #next(): number | undefined {
    while (isSpace(this.#bytes[this.at])) this.at += 1;
    return this.#bytes[this.at];
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

function isSpace(code: number | undefined): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}
