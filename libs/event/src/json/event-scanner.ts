// One event of plain JSON: which members it has, and where each of them lies in the input. Called by
// event-reader.ts. An event with unknown members, repeated members or members of the wrong type is not plain:
// the strict reader and the schema of the gateway say what is wrong with it.

import { MAX_TEXT_LENGTH } from "../event-limits.ts";
import { CLOSE_BRACE, COMMA, OPEN_BRACE, QUOTE } from "./character-codes.ts";
import { ACTION, type Shape, type ShapeMember, type ShapeName, SLOTS_END } from "./event-shape.ts";
import { PlainScanner } from "./plain-scanner.ts";
import { NOT_PLAIN } from "./plain-tokens.ts";
import { CHILD, END, START, VERBATIM } from "./tape.ts";

/**
 * Members and elements of one event, which is read in one piece: a few milliseconds of work. With more it is
 * not plain, and the strict reader reads it in several.
 */
const MAX_PLAIN_VALUES = 8_192;

/** The slots on its tape describe the event that was read last. */
export class EventScanner extends PlainScanner {
  skipEvent(at: number, depth: number, shape: Shape): number {
    this.tape.fill(0, 0, SLOTS_END);
    this.top = SLOTS_END;
    this.boundValues(MAX_PLAIN_VALUES);
    const end = this.#skipShape(at, depth, shape);
    return this.tape[ACTION.slot + START] === 0 ? NOT_PLAIN : end;
  }

  #skipShape(start: number, depth: number, shape: Shape): number {
    const { bytes } = this;
    if (bytes[start] !== OPEN_BRACE || !this.isDepthAllowed(depth)) return NOT_PLAIN;
    let at = this.skipSpace(start + 1);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    let last = -1;
    for (;;) {
      const nameEnd = this.skipName(at);
      if (nameEnd < 0 || !this.countValue()) return NOT_PLAIN;
      const member = memberOf(shape.names, bytes, at + 1, nameEnd);
      if (member === undefined || this.tape[member.slot + START] !== 0) return NOT_PLAIN;
      // Members have their slots in canonical order.
      if (this.isCanonical && member.slot < last) return NOT_PLAIN;
      last = member.slot;
      const value = this.skipColon(nameEnd + 1);
      const end = value < 0 ? NOT_PLAIN : this.#skipMember(member, value, depth + 1);
      if (end < 0) return NOT_PLAIN;
      at = this.skipSpace(end);
      if (bytes[at] !== COMMA) break;
      at = this.skipSpace(at + 1);
    }
    return bytes[at] === CLOSE_BRACE ? at + 1 : NOT_PLAIN;
  }

  #skipMember({ kind, slot }: ShapeMember, at: number, depth: number): number {
    // Before its value is read, so that the member is not taken twice.
    this.tape[slot + START] = at;
    this.child = VERBATIM;
    let end: number;
    if (typeof kind === "object") end = this.#skipShape(at, depth, kind);
    else if (kind === "object") {
      end = this.bytes[at] === OPEN_BRACE ? this.skipObject(at, depth) : NOT_PLAIN;
    } else {
      end = this.bytes[at] === QUOTE ? this.skipString(at) : NOT_PLAIN;
      // What is longer in bytes may have few enough characters.
      if (kind === "short" && !isShort(end - at - 2)) return NOT_PLAIN;
    }
    const { tape } = this;
    tape[slot + END] = end;
    tape[slot + CHILD] = this.child;
    return end;
  }
}

function isShort(bytes: number): boolean {
  return bytes >= 1 && bytes <= MAX_TEXT_LENGTH;
}

function memberOf(
  names: readonly ShapeName[],
  bytes: Uint8Array,
  start: number,
  end: number,
): ShapeMember | undefined {
  const length = end - start;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as ShapeName;
    if (name.bytes.length === length && isAt(name.bytes, bytes, start)) return name.member;
  }
  return undefined;
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[start + index] !== name[index]) return false;
  }
  return true;
}
