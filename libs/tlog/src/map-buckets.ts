// The 256 nodes of a map at depth 8, which are kept for each epoch. Bytes: for each bucket a kind and a hash.
// head-map.ts makes them, bucket-path.ts makes paths of old epochs with them.

import { EMPTY_MAP, mapInner, mapKey } from "./head-record.ts";
import { HASH_BYTES } from "./hash.ts";
import { TlogError } from "./text/tlog-error.ts";

export const BUCKET_DEPTH = 8;
export const BUCKET_COUNT = 2 ** BUCKET_DEPTH;

export interface Bucket {
  /** How many chains it holds. */
  readonly kind: "empty" | "one" | "more";
  readonly hash: Buffer;
}

const KINDS: readonly Bucket["kind"][] = ["empty", "one", "more"];
const BUCKET_BYTES = 1 + HASH_BYTES;

/** The bucket of a chain. */
export function bucketOf(chain: string): number {
  return mapKey(chain)[0] ?? 0;
}

export function bucketsBytes(buckets: readonly Bucket[]): Buffer {
  return Buffer.concat(
    buckets.flatMap(({ hash, kind }) => [Uint8Array.of(KINDS.indexOf(kind)), hash]),
  );
}

/** Throws TlogError (map_mismatch) for other bytes than bucketsBytes makes. */
export function readBuckets(bytes: Buffer): Bucket[] {
  if (bytes.length !== BUCKET_COUNT * BUCKET_BYTES) throw malformed();
  return Array.from({ length: BUCKET_COUNT }, (_, at) => {
    const kind = KINDS[bytes[at * BUCKET_BYTES] ?? KINDS.length];
    const hash = bytes.subarray(at * BUCKET_BYTES + 1, (at + 1) * BUCKET_BYTES);
    if (kind === undefined || (kind === "empty") !== hash.equals(EMPTY_MAP)) throw malformed();
    return { kind, hash };
  });
}

/** The root of the map that has these buckets. */
export function rootOfBuckets(buckets: readonly Bucket[]): Buffer {
  return levelsOf(buckets)[0]?.[0]?.hash ?? EMPTY_MAP;
}

/** The nodes of each depth from the top, 0, down to the buckets. */
export function levelsOf(buckets: readonly Bucket[]): Bucket[][] {
  let level = [...buckets];
  const levels = [level];
  while (level.length > 1) {
    level = Array.from({ length: level.length / 2 }, (_, at) =>
      merged(level[2 * at], level[2 * at + 1]),
    );
    levels.unshift(level);
  }
  return levels;
}

/** A subtree that holds one chain is that chain's leaf, at whatever height. */
function merged(left: Bucket | undefined, right: Bucket | undefined): Bucket {
  if (left === undefined || right === undefined) throw malformed();
  if (left.kind === "empty" && right.kind !== "more") return right;
  if (right.kind === "empty" && left.kind !== "more") return left;
  return { kind: "more", hash: mapInner(left.hash, right.hash) };
}

function malformed(): TlogError {
  return new TlogError("map_mismatch", "are not the buckets of a map");
}
