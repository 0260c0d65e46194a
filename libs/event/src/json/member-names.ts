// The order of the member names of one object, over the bytes that they lie in, which are UTF-8 with
// canonical escapes: that of UTF-16 code units, as RFC 8785 wants it. Called by plain-scanner.ts. It must
// never take more than n log n comparisons, whatever the names are.

import { escapeLength, escapedCode } from "./canonical-escape.ts";
import { BACKSLASH } from "./character-codes.ts";
import { NAME_END, NAME_START, NEXT } from "./tape.ts";

/** In UTF-16 the characters that take a pair of surrogates come before those from U+E000 on. */
const FIRST_OF_U_E000 = 0xee;
const FIRST_OF_PAIRS = 0xf0;

/**
 * Compares the names of two members on the tape: negative if `a` comes first, 0 if both are equal. The
 * prefix of a name comes before it.
 */
export function compareMembers(bytes: Uint8Array, tape: Int32Array, a: number, b: number): number {
  const aStart = tape[a + NAME_START] as number;
  const bStart = tape[b + NAME_START] as number;
  const aLength = (tape[a + NAME_END] as number) - aStart;
  const bLength = (tape[b + NAME_END] as number) - bStart;
  const length = aLength < bLength ? aLength : bLength;
  for (let at = 0; at < length; at += 1) {
    const aByte = bytes[aStart + at] as number;
    const bByte = bytes[bStart + at] as number;
    if (aByte === BACKSLASH || bByte === BACKSLASH)
      return compareEscaped(
        bytes,
        [aStart + at, aStart + aLength],
        [bStart + at, bStart + bLength],
      );
    if (aByte !== bByte) return compareBytes(aByte, bByte);
  }
  return aLength - bLength;
}

/** Compares two characters by the first bytes in which they differ. */
function compareBytes(a: number, b: number): number {
  const isReversed = a >= FIRST_OF_U_E000 && b >= FIRST_OF_U_E000;
  return isReversed && a < FIRST_OF_PAIRS !== b < FIRST_OF_PAIRS ? b - a : a - b;
}

type Range = readonly [start: number, end: number];

/** Compares what is left of two names by the characters that escapes stand for. */
function compareEscaped(bytes: Uint8Array, [aStart, aEnd]: Range, [bStart, bEnd]: Range): number {
  let [a, b] = [aStart, bStart];
  while (a < aEnd && b < bEnd) {
    const [aCode, bCode] = [codeAt(bytes, a), codeAt(bytes, b)];
    if (aCode !== bCode) return compareBytes(aCode, bCode);
    // Canonical text writes a character in one way, so both have as many bytes.
    const length = bytes[a] === BACKSLASH ? escapeLength(bytes, a) : 1;
    a += length;
    b += length;
  }
  return aEnd - a - (bEnd - b);
}

/** The byte at `at`, or the character that the escape there stands for. */
function codeAt(bytes: Uint8Array, at: number): number {
  return bytes[at] === BACKSLASH ? escapedCode(bytes, at) : (bytes[at] as number);
}

/**
 * Sorts `count` members, linked from `first` on, by their names, and returns the first of the sorted ones.
 * A merge sort that changes links alone: no member is moved, and a name is compared log n times.
 */
export function sortMembers(
  bytes: Uint8Array,
  tape: Int32Array,
  first: number,
  count: number,
): number {
  if (count < 2) {
    if (count === 1) tape[first + NEXT] = 0;
    return first;
  }
  const half = count >> 1;
  let middle = first;
  for (let at = 0; at < half; at += 1) middle = tape[middle + NEXT] as number;
  const left = sortMembers(bytes, tape, first, half);
  const right = sortMembers(bytes, tape, middle, count - half);
  return merge(bytes, tape, left, right);
}

function merge(bytes: Uint8Array, tape: Int32Array, left: number, right: number): number {
  let [a, b] = [left, right];
  let first = 0;
  let last = 0;
  while (a !== 0 && b !== 0) {
    const isLeft = compareMembers(bytes, tape, a, b) <= 0;
    const smaller = isLeft ? a : b;
    if (isLeft) a = tape[a + NEXT] as number;
    else b = tape[b + NEXT] as number;
    if (last === 0) first = smaller;
    else tape[last + NEXT] = smaller;
    last = smaller;
  }
  tape[last + NEXT] = a === 0 ? b : a;
  return first;
}

/** Whether two neighbours of the sorted members have the same name. */
export function hasRepeatedName(bytes: Uint8Array, tape: Int32Array, first: number): boolean {
  let member = first;
  for (;;) {
    const next = tape[member + NEXT] as number;
    if (next === 0) return false;
    if (compareMembers(bytes, tape, member, next) === 0) return true;
    member = next;
  }
}
