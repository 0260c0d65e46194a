// The hashes of RFC 6962 trees. Called by everything that builds or checks a tree. No byte of it may change.

import { hash } from "node:crypto";

export const HASH_BYTES = 32;

/** The root of a tree without entries. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);

export function sha256(bytes: Uint8Array | string): Buffer {
  return hash("sha256", bytes, "buffer");
}

/** The leaf hash of an entry: of an event, `hash` of hash format v1. */
export function entryHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, entry]));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([INNER, left, right]));
}

/** The hashes, or public keys, of 32 bytes that follow one another. They share the memory of `bytes`. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}
