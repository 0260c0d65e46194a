// Paths in the map of heads, and their verification: that an account has this head in an epoch, or that it
// has none. A path lists the siblings from the top down.

import {
  bitAt,
  EMPTY_MAP,
  type Head,
  headRecord,
  mapInner,
  mapKey,
  mapLeaf,
} from "./head-record.ts";
import { MAX_MAP_DEPTH } from "./head-record.ts";
import { HASH_BYTES, sha256 } from "./hash.ts";
import { TlogError } from "./text/tlog-error.ts";

/** The end of a path: at the chain itself, in an empty subtree, or at the leaf of another chain. */
export type PathEnd =
  | { readonly at: "chain" | "empty" }
  | { readonly at: "other"; readonly key: Buffer; readonly value: Buffer };

export interface MapPath {
  readonly siblings: readonly Buffer[];
  readonly end: PathEnd;
}

/** Throws TlogError (map_mismatch) unless the map of this root has this head. */
export function verifyHead(root: Buffer, head: Head, siblings: readonly Buffer[]): void {
  const key = mapKey(head.chain);
  const leaf = mapLeaf(key, sha256(headRecord(head)));
  // A chain that is alone below its sibling stands higher up.
  if (siblings.at(-1)?.equals(EMPTY_MAP) === true) throw mismatch();
  if (!rootOfPath(key, leaf, siblings).equals(root)) throw mismatch();
}

/** Throws TlogError (map_mismatch) unless the map of this root has no head of this chain. */
export function verifyAbsence(root: Buffer, chain: string, { end, siblings }: MapPath): void {
  const key = mapKey(chain);
  if (end.at === "chain") throw mismatch();
  if (end.at === "other") {
    const isBeside =
      end.key.length === HASH_BYTES &&
      end.value.length === HASH_BYTES &&
      !end.key.equals(key) &&
      siblings.every((_, depth) => bitAt(end.key, depth) === bitAt(key, depth));
    if (!isBeside) throw mismatch();
  }
  const leaf = end.at === "other" ? mapLeaf(end.key, end.value) : EMPTY_MAP;
  if (!rootOfPath(key, leaf, siblings).equals(root)) throw mismatch();
}

function rootOfPath(key: Buffer, leaf: Buffer, siblings: readonly Buffer[]): Buffer {
  if (siblings.length > MAX_MAP_DEPTH) throw mismatch();
  return siblings.reduceRight((hash, sibling, depth) => {
    if (sibling.length !== HASH_BYTES) throw mismatch();
    return bitAt(key, depth) === 0 ? mapInner(hash, sibling) : mapInner(sibling, hash);
  }, leaf);
}

function mismatch(): TlogError {
  return new TlogError("map_mismatch", "the path does not lead to the root of the map");
}
