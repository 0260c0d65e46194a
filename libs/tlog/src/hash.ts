// The hashes of RFC 6962 trees. Called by everything that builds or checks a tree. No byte of it may change.

import { hash } from "node:crypto";

export const HASH_BYTES = 32;

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);

/** The input of a hash over two others. One for all calls, since none waits or keeps it. */
const pair = Buffer.alloc(1 + 2 * HASH_BYTES);

/** The root of a tree without entries. */
export const EMPTY_ROOT: Buffer = sha256("");

/** Takes text from Node and not a buffer, for speed: Node allocates a memory block for each of those. */
export function sha256(bytes: Uint8Array | string): Buffer {
  return Buffer.from(hash("sha256", bytes, "binary"), "binary");
}

/** The leaf hash of an entry: of an event, `hash` of hash format v1. */
export function entryHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, entry]));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return pairHash(INNER, left, right);
}

/** The leaf hash of an entry that consists of two hashes. */
export function pairEntryHash(first: Uint8Array, second: Uint8Array): Buffer {
  return pairHash(LEAF, first, second);
}

function pairHash(prefix: Uint8Array, left: Uint8Array, right: Uint8Array): Buffer {
  // A proof may hold anything: what is left of the pair before must not take the place of missing bytes.
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES)
    return sha256(Buffer.concat([prefix, left, right]));
  pair.set(prefix);
  pair.set(left, 1);
  pair.set(right, 1 + HASH_BYTES);
  return sha256(pair);
}

/** The hashes, or public keys, of 32 bytes that follow one another. They share the memory of `bytes`. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}
