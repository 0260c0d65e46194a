// The proofs of an entry that is about to be appended to a tree, from the tree's frontier alone: that the
// new tree continues the old one, and that the entry is its last. Called by what asks for a signature on
// each head.

import { TlogError } from "./text/tlog-error.ts";
import { nodeHash } from "./hash.ts";
import { proveConsistency, proveInclusion, type ReadNode } from "./proofs.ts";
import { append, type Frontier, rootOf } from "./tree.ts";

export interface NextEntry {
  readonly tree: Frontier;
  readonly root: Buffer;
  readonly consistency: readonly Buffer[];
  readonly inclusion: readonly Buffer[];
}

export function nextEntry(frontier: Frontier, leaf: Buffer): NextEntry {
  const { size } = frontier;
  const readNode = nodesOf(frontier, leaf);
  const tree = append(frontier, [leaf]);
  return {
    tree,
    root: rootOf(tree),
    consistency: proveConsistency(size, size + 1, readNode),
    inclusion: proveInclusion(size, size + 1, readNode),
  };
}

/** The complete subtrees of the frontier, the leaf, and what the leaf completes. */
function nodesOf({ hashes, size }: Frontier, leaf: Buffer): ReadNode {
  const nodes = new Map<string, Buffer>();
  let [rest, first] = [size, 0];
  for (const hash of hashes) {
    const level = Math.floor(Math.log2(rest));
    nodes.set(`${level}/${first / 2 ** level}`, hash);
    first += 2 ** level;
    rest -= 2 ** level;
  }
  let [level, index, hash] = [0, size, leaf];
  nodes.set(`0/${size}`, leaf);
  for (; index % 2 === 1; index = (index - 1) / 2) {
    const left = nodes.get(`${level}/${index - 1}`);
    if (left === undefined) break;
    hash = nodeHash(left, hash);
    level += 1;
    nodes.set(`${level}/${(index - 1) / 2}`, hash);
  }
  return (at, place) => {
    const node = nodes.get(`${at}/${place}`);
    if (node === undefined) throw new TlogError("inclusion_mismatch", "the frontier lacks a node");
    return node;
  };
}
