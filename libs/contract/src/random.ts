// Random bytes from a pool. Used for salts and ids: a system call for each costs more than hashing it.

import { randomBytes } from "node:crypto";

/** Random bytes of the operating system's quality: a fresh piece of the given size at each call. */
export type Random = (size: number) => Uint8Array;

/** Bytes of one system call. Pieces of more than a quarter of it get a call of their own. */
const POOL_BYTES = 16 * 1024;

/** A source that returns each byte of its pool once. */
export function pooledRandom(): Random {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (size) => {
    if (size > POOL_BYTES / 4) return randomBytes(size);
    if (used + size > POOL_BYTES) {
      // A new pool, not the old one refilled: pieces of the old one may still be in use.
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}
