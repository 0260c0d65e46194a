// Segments of the filter index (0001_ledger.sql): the numbers that each has, and the keys of a field that a
// term of a search is about. Called by the searches, by the worker of the index, and by verification.

import { CHUNK_SIZE } from "./chunk.ts";

/** Numbers of a sealed segment. It must never change, because the stored segments were made by it. */
export const SEALED_SIZE = 65_536;

export interface Segment {
  /** 0: fresh, a chunk; 1: sealed. */
  readonly level: 0 | 1;
  /** The number before its first one. */
  readonly base: number;
}

/** The numbers of a segment. Both ends are included. */
export function numbersIn({ base, level }: Segment): {
  readonly from: number;
  readonly to: number;
} {
  return { from: base + 1, to: base + (level === 1 ? SEALED_SIZE : CHUNK_SIZE) };
}

/** Segments of the index as one statement finds them (find-segments.ts). */
export interface Found {
  readonly chunks: readonly number[] | null;
  readonly sealed: readonly number[] | null;
}

/** The segments, ascending, whose blocks have the numbers of the chunks. */
export function segmentsOf({ chunks, sealed }: Found): Segment[] {
  const bases = new Set(sealed);
  const segments: Segment[] = [];
  for (const base of chunks ?? []) {
    const group = base - (base % SEALED_SIZE);
    const isSealed = bases.has(group);
    if (isSealed && segments.at(-1)?.base === group) continue;
    segments.push(isSealed ? { level: 1, base: group } : { level: 0, base });
  }
  return segments;
}

/** Keys from `since` up to but not including `before`. */
export interface KeyRange {
  readonly since: string;
  readonly before: string;
}

/** Behind every key, because a key has at most 256 bytes. */
const LAST_KEY = "\u{10ffff}".repeat(65);

/** The one key: no text is between it and the same with the least character, as U+0000 is in no text. */
export function exactly(key: string): KeyRange {
  return { since: key, before: `${key}\u0001` };
}

/** The keys from one on; null: no end. */
export function keysFrom(since: string, before: string | null): KeyRange {
  return { since, before: before ?? LAST_KEY };
}

export const MAX_KEY_BYTES = 256;

/** The key of events whose value is too long for one: every search looks it up, and compares them. */
export const ANY_KEY = "";

export function keyOf(value: string): string {
  return Buffer.byteLength(value) > MAX_KEY_BYTES ? ANY_KEY : value;
}
