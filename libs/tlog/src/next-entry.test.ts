// Guarantee: the proofs of an entry that is about to be appended, made of the frontier alone, hold for a tree
// of any size, and for no other entry.

import { expect, test } from "vitest";
import { EMPTY_ROOT, entryHash } from "./hash.ts";
import { nextEntry } from "./next-entry.ts";
import { verifyConsistency, verifyInclusion } from "./proofs.ts";
import { EMPTY_TREE, rootOf } from "./tree.ts";

const SIZES = 300;

test(`trees of 1 to ${SIZES} entries, each proved from the one before`, () => {
  let tree = EMPTY_TREE;
  let before = { size: 0, root: EMPTY_ROOT };
  for (let size = 1; size <= SIZES; size += 1) {
    const leaf = entryHash(Buffer.from(`entry ${size}`));
    const next = nextEntry(tree, leaf);
    const after = { size, root: next.root };
    expect(next.root).toEqual(rootOf(next.tree));
    verifyConsistency(before, after, next.consistency);
    verifyInclusion(size - 1, size, leaf, next.inclusion, next.root);
    const other = entryHash(Buffer.from("another"));
    expect(() => verifyInclusion(size - 1, size, other, next.inclusion, next.root)).toThrow(
      "the entry is not in the tree",
    );
    tree = next.tree;
    before = after;
  }
});
