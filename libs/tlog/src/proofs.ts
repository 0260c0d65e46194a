// Proofs of inclusion and of consistency (RFC 6962, section 2.1; verified as in RFC 9162). They are built
// from nodes, wherever these are read from, and verified from roots alone. Hashes go from the leaf up.

import { EMPTY_ROOT, nodeHash } from "./hash.ts";
import { TlogError } from "./text/tlog-error.ts";

/** The root of the complete subtree of 2^level entries that begins at entry `index * 2^level`. */
export type ReadNode = (level: number, index: number) => Buffer;

/** Hashes of a proof in a tree of fewer than 2^53 entries. */
export const MAX_PROOF_HASHES = 64;

/** The root of the first `size` entries. */
export function rootFromNodes(size: number, readNode: ReadNode): Buffer {
  return size === 0 ? EMPTY_ROOT : rangeHash(readNode, 0, size);
}

/** Throws RangeError unless the entry is in the tree. */
export function proveInclusion(index: number, size: number, readNode: ReadNode): Buffer[] {
  if (!isIndex(index, size)) throw new RangeError("the entry is not in the tree");
  return inclusionIn(readNode, index, 0, size);
}

/** Throws RangeError unless `from` is at most `to`. A proof from 0, or between equal sizes, is empty. */
export function proveConsistency(from: number, to: number, readNode: ReadNode): Buffer[] {
  if (!isIndex(from, to + 1)) throw new RangeError("the first size is beyond the second one");
  return from === 0 ? [] : consistencyIn(readNode, from, 0, to, true);
}

/** Throws TlogError (inclusion_mismatch). */
export function verifyInclusion(
  index: number,
  size: number,
  leaf: Buffer,
  proof: readonly Buffer[],
  root: Buffer,
): void {
  if (!isIndex(index, size)) throw notIncluded();
  let [node, last] = [index, size - 1];
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) throw notIncluded();
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else hash = nodeHash(hash, sibling);
    [node, last] = [half(node), half(last)];
  }
  if (last !== 0 || !hash.equals(root)) throw notIncluded();
}

/** Throws TlogError (consistency_mismatch) unless the first tree is a prefix of the second one. */
export function verifyConsistency(
  from: { readonly size: number; readonly root: Buffer },
  to: { readonly size: number; readonly root: Buffer },
  proof: readonly Buffer[],
): void {
  if (!isIndex(from.size, to.size + 1)) throw inconsistent();
  if (from.size === 0 || from.size === to.size) {
    const expected = from.size === 0 ? EMPTY_ROOT : to.root;
    if (proof.length > 0 || !from.root.equals(expected)) throw inconsistent();
    return;
  }
  const path = isPowerOfTwo(from.size) ? [from.root, ...proof] : proof;
  let [node, last] = [from.size - 1, to.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  const [first, ...rest] = path;
  if (first === undefined) throw inconsistent();
  let [older, newer] = [first, first];
  for (const sibling of rest) {
    if (last === 0) throw inconsistent();
    if (isOdd(node) || node === last) {
      [older, newer] = [nodeHash(sibling, older), nodeHash(sibling, newer)];
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else newer = nodeHash(newer, sibling);
    [node, last] = [half(node), half(last)];
  }
  if (last !== 0 || !older.equals(from.root) || !newer.equals(to.root)) throw inconsistent();
}

/** The hash over the entries from `from` up to, not including, `to`. */
function rangeHash(readNode: ReadNode, from: number, to: number): Buffer {
  const width = to - from;
  if (isPowerOfTwo(width)) return readNode(Math.log2(width), from / width);
  const middle = from + splitOf(width);
  return nodeHash(rangeHash(readNode, from, middle), rangeHash(readNode, middle, to));
}

function inclusionIn(readNode: ReadNode, index: number, from: number, to: number): Buffer[] {
  if (to - from === 1) return [];
  const middle = from + splitOf(to - from);
  return index < middle
    ? [...inclusionIn(readNode, index, from, middle), rangeHash(readNode, middle, to)]
    : [...inclusionIn(readNode, index, middle, to), rangeHash(readNode, from, middle)];
}

function consistencyIn(
  readNode: ReadNode,
  size: number,
  from: number,
  to: number,
  isKnown: boolean,
): Buffer[] {
  if (size === to) return isKnown ? [] : [rangeHash(readNode, from, to)];
  const middle = from + splitOf(to - from);
  return size <= middle
    ? [...consistencyIn(readNode, size, from, middle, isKnown), rangeHash(readNode, middle, to)]
    : [...consistencyIn(readNode, size, middle, to, false), rangeHash(readNode, from, middle)];
}

/** The largest power of two below `width`, which is 2 or more. */
function splitOf(width: number): number {
  let split = 1;
  while (split * 2 < width) split *= 2;
  return split;
}

/** Arithmetic and not bits: sizes go beyond 32 bits. */
function half(value: number): number {
  return Math.floor(value / 2);
}

function isOdd(value: number): boolean {
  return value % 2 === 1;
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value)) && 2 ** Math.round(Math.log2(value)) === value;
}

function isIndex(index: number, size: number): boolean {
  return Number.isSafeInteger(index) && index >= 0 && index < size;
}

function notIncluded(): TlogError {
  return new TlogError("inclusion_mismatch", "the entry is not in the tree");
}

function inconsistent(): TlogError {
  return new TlogError("consistency_mismatch", "the first tree is not a prefix of the second one");
}
