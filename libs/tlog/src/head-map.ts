// The map of heads in memory: flat arrays, built once and updated in place. The epoch closer sets the heads
// that changed, and asks for the root. Nothing is ever removed: a head only grows.

import {
  bitAt,
  EMPTY_MAP,
  type Head,
  headRecord,
  mapInner,
  mapKey,
  mapLeaf,
  MAX_MAP_DEPTH,
} from "./head-record.ts";
import { HASH_BYTES, sha256 } from "./hash.ts";
import { type Bucket, BUCKET_DEPTH, BUCKET_COUNT, bucketsBytes } from "./map-buckets.ts";
import type { MapPath } from "./map-path.ts";

/** Chains of one map: 96 bytes of each are kept, and 40 of an inner node. */
export const MAX_MAP_CHAINS = 4_000_000;

const FIRST_CAPACITY = 64;
/** A child: 0 is empty, n above 0 is the inner node n - 1, n below 0 is the leaf -n - 1. */
const EMPTY = 0;

export class HeadMap {
  #root = EMPTY;
  #keys = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  #values = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  #leaves = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  #chains = 0;
  /** Two children for each inner node. */
  #children = new Int32Array(2 * FIRST_CAPACITY);
  #hashes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  #inner = 0;
  /** A byte for each inner node: 1 if its hash is out of date. */
  #stale = new Uint8Array(FIRST_CAPACITY);
  #hasStale = false;

  get chains(): number {
    return this.#chains;
  }

  /** Adds a chain, or replaces its head. Throws RangeError beyond MAX_MAP_CHAINS, TlogError for a head. */
  set(head: Head): void {
    const key = mapKey(head.chain);
    const value = sha256(headRecord(head));
    let parent = -1;
    let child = this.#root;
    let depth = 0;
    for (; child > EMPTY; depth += 1) {
      const node = child - 1;
      this.#markStale(node);
      parent = 2 * node + bitAt(key, depth);
      child = this.#children[parent] ?? EMPTY;
    }
    if (child === EMPTY) {
      this.#link(parent, this.#addLeaf(key, value));
      return;
    }
    const leaf = -child - 1;
    const other = slot(this.#keys, leaf);
    if (other.equals(key)) this.#writeLeaf(leaf, key, value);
    else this.#split(parent, depth, child, Buffer.from(other), key, value);
  }

  /** Hashes what changed, and returns the root. */
  root(): Buffer {
    for (const _ of this.rehash(Number.MAX_SAFE_INTEGER));
    return Buffer.from(this.#hashOf(this.#root));
  }

  /** Hashes what changed, and yields after each `slice` of hashes. Nothing may be set meanwhile. */
  *rehash(slice: number): Generator<void> {
    if (!this.#hasStale) return;
    let hashed = 0;
    // A node is always made before those below it.
    for (let node = this.#inner - 1; node >= 0; node -= 1) {
      if (this.#stale[node] === 0) continue;
      const left = this.#hashOf(this.#children[2 * node] ?? EMPTY);
      const right = this.#hashOf(this.#children[2 * node + 1] ?? EMPTY);
      this.#hashes.set(mapInner(left, right), node * HASH_BYTES);
      this.#stale[node] = 0;
      hashed += 1;
      if (hashed % slice === 0) yield;
    }
    this.#hasStale = false;
  }

  /** The path to a chain, or to where it would be. */
  path(chain: string): MapPath {
    this.root();
    const key = mapKey(chain);
    const siblings: Buffer[] = [];
    let child = this.#root;
    while (child > EMPTY) {
      const at = 2 * (child - 1);
      const bit = bitAt(key, siblings.length);
      siblings.push(Buffer.from(this.#hashOf(this.#children[at + 1 - bit] ?? EMPTY)));
      child = this.#children[at + bit] ?? EMPTY;
    }
    if (child === EMPTY) return { siblings, end: { at: "empty" } };
    const leaf = -child - 1;
    const found = Buffer.from(slot(this.#keys, leaf));
    if (found.equals(key)) return { siblings, end: { at: "chain" } };
    const value = Buffer.from(slot(this.#values, leaf));
    return { siblings, end: { at: "other", key: found, value } };
  }

  /** The nodes at depth 8 with their kinds: what stays of an old epoch (map-buckets.ts). */
  buckets(): Buffer {
    this.root();
    const buckets: Bucket[] = Array.from({ length: BUCKET_COUNT }, () => ({
      kind: "empty",
      hash: EMPTY_MAP,
    }));
    this.#collect(this.#root, 0, 0, buckets);
    return bucketsBytes(buckets);
  }

  #collect(child: number, depth: number, prefix: number, buckets: Bucket[]): void {
    if (child === EMPTY) return;
    if (child < EMPTY) {
      const [bucket = 0] = slot(this.#keys, -child - 1);
      buckets[bucket] = { kind: "one", hash: this.#hashOf(child) };
    } else if (depth === BUCKET_DEPTH) {
      buckets[prefix] = { kind: "more", hash: this.#hashOf(child) };
    } else {
      const at = 2 * (child - 1);
      this.#collect(this.#children[at] ?? EMPTY, depth + 1, 2 * prefix, buckets);
      this.#collect(this.#children[at + 1] ?? EMPTY, depth + 1, 2 * prefix + 1, buckets);
    }
  }

  /** Makes inner nodes down to where the two keys differ. */
  #split(
    parent: number,
    depth: number,
    child: number,
    other: Buffer,
    key: Buffer,
    value: Buffer,
  ): void {
    let at = parent;
    for (let level = depth; level < MAX_MAP_DEPTH; level += 1) {
      const node = this.#addInner();
      this.#link(at, node + 1);
      const bit = bitAt(key, level);
      at = 2 * node + bit;
      if (bit === bitAt(other, level)) continue;
      this.#link(2 * node + 1 - bit, child);
      break;
    }
    this.#link(at, this.#addLeaf(key, value));
  }

  #link(at: number, child: number): void {
    if (at < 0) this.#root = child;
    else this.#children[at] = child;
  }

  #addInner(): number {
    const node = this.#inner;
    this.#inner += 1;
    this.#hashes = grown(this.#hashes, this.#inner);
    if (this.#children.length < 2 * this.#inner) {
      const children = new Int32Array(2 * this.#children.length);
      children.set(this.#children);
      this.#children = children;
    }
    if (this.#stale.length < this.#inner) {
      const stale = new Uint8Array(2 * this.#stale.length);
      stale.set(this.#stale);
      this.#stale = stale;
    }
    this.#markStale(node);
    return node;
  }

  #markStale(node: number): void {
    this.#stale[node] = 1;
    this.#hasStale = true;
  }

  #addLeaf(key: Buffer, value: Buffer): number {
    if (this.#chains === MAX_MAP_CHAINS)
      throw new RangeError(`a map has at most ${MAX_MAP_CHAINS} chains`);
    const leaf = this.#chains;
    this.#chains += 1;
    this.#keys = grown(this.#keys, this.#chains);
    this.#values = grown(this.#values, this.#chains);
    this.#leaves = grown(this.#leaves, this.#chains);
    this.#writeLeaf(leaf, key, value);
    return -leaf - 1;
  }

  #writeLeaf(leaf: number, key: Buffer, value: Buffer): void {
    this.#keys.set(key, leaf * HASH_BYTES);
    this.#values.set(value, leaf * HASH_BYTES);
    this.#leaves.set(mapLeaf(key, value), leaf * HASH_BYTES);
  }

  #hashOf(child: number): Buffer {
    if (child === EMPTY) return EMPTY_MAP;
    return child > EMPTY ? slot(this.#hashes, child - 1) : slot(this.#leaves, -child - 1);
  }
}

function slot(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
}

/** The same bytes, with room for `count` hashes. */
function grown(bytes: Buffer<ArrayBuffer>, count: number): Buffer<ArrayBuffer> {
  if (count * HASH_BYTES <= bytes.length) return bytes;
  const larger = Buffer.alloc(2 * bytes.length);
  larger.set(bytes);
  return larger;
}
