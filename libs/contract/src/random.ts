// Random bytes, many small pieces at the price of few large ones: asking the system for each salt and each
// id costs more than hashing it.

import { randomBytes } from "node:crypto";

/** Random bytes of the operating system's quality: a fresh piece of the given size at each call. */
export type Random = (size: number) => Uint8Array;

/** Bytes asked of the system at a time. Pieces of more than a quarter of it are asked for one by one. */
const POOL_BYTES = 16 * 1024;

/** A source that hands each byte of its pool out once. */
export function pooledRandom(): Random {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (size) => {
    if (size > POOL_BYTES / 4) return randomBytes(size);
    if (used + size > POOL_BYTES) {
      // A new pool and not the old one filled again: pieces of the old one may still be in use.
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}
