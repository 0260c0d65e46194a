// What the map of heads commits to: the record of one account's tree at one moment, its place in the map, and
// the hashes of the map. Called by head-map.ts, and by map-path.ts which verifies. No byte may change.

import { HASH_BYTES, nodeHash, pairEntryHash, sha256 } from "./hash.ts";
import { TlogError } from "./text/tlog-error.ts";

export interface Head {
  /** The account's id. */
  readonly chain: string;
  readonly size: number;
  readonly root: Buffer;
}

/** The hash of a subtree that holds no chain. */
export const EMPTY_MAP: Buffer = Buffer.alloc(HASH_BYTES);

/** Bits of a key: no path is longer. */
export const MAX_MAP_DEPTH = 256;

const KEY_PREFIX = "annals/chain/v1\n";
/** Letters that canonical JSON writes as they are, so that the record needs no writer. */
const CHAIN = /^[0-9A-Za-z_-]{1,128}$/;

const RECORD = /^\{"chain":"([^"]+)","root":"([0-9a-f]+)","size":(\d+),"v":1\}$/;

/** The record in canonical JSON. Throws TlogError (head_malformed). */
export function headRecord({ chain, root, size }: Head): string {
  if (!CHAIN.test(chain) || !Number.isSafeInteger(size) || size < 0 || root.length !== HASH_BYTES)
    throw new TlogError("head_malformed", "a head is a chain, a size and a root");
  return `{"chain":"${chain}","root":"${root.toString("hex")}","size":${size},"v":1}`;
}

/** Reads a record. Throws TlogError (head_malformed) unless it is what headRecord makes. */
export function parseHeadRecord(text: string): Head {
  const [, chain = "", root = "", size = ""] = RECORD.exec(text) ?? [];
  const head = { chain, root: Buffer.from(root, "hex"), size: Number(size) };
  if (headRecord(head) !== text)
    throw new TlogError("head_malformed", "is not the record of a head");
  return head;
}

/** The place of a chain: the first bit decides at the top, and 0 goes left. */
export function mapKey(chain: string): Buffer {
  return sha256(`${KEY_PREFIX}${chain}`);
}

/** The bit at `depth` from the top. */
export function bitAt(key: Uint8Array, depth: number): 0 | 1 {
  return (((key[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1) as 0 | 1;
}

/** `value` is the SHA-256 of the record. */
export function mapLeaf(key: Uint8Array, value: Uint8Array): Buffer {
  return pairEntryHash(key, value);
}

/** The hash over two subtrees. */
export const mapInner = nodeHash;
