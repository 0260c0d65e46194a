// The erased parts of an event, as the ledger stores them: a number whose bit n stands for part n of PARTS.
// An erased part is {} and has no salt; its digest stays, so the hash can still be recomputed.

import { type Part, PARTS } from "./event-members.ts";

const NONE: readonly Part[] = [];

/** The parts, in the order of PARTS. */
export function erasedParts(bits: number | undefined): readonly Part[] {
  return bits ? PARTS.filter((_, at) => (bits & (1 << at)) !== 0) : NONE;
}

/** The number for some parts. */
export function erasedBits(parts: readonly Part[]): number {
  return PARTS.reduce((bits, part, at) => (parts.includes(part) ? bits | (1 << at) : bits), 0);
}

/** The bits without those of some parts. */
export function erasedBut(bits: number, parts: readonly string[]): number {
  return PARTS.reduce((left, part, at) => (parts.includes(part) ? left & ~(1 << at) : left), bits);
}
