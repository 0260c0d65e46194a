// Guarantee: the map of heads is a function of its heads alone, whatever the order and however often they
// change; it has the roots and paths of the worked examples; an account has one head in it, or none.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathFromBuckets } from "./bucket-path.ts";
import { HeadMap } from "./head-map.ts";
import { bitAt, type Head, headRecord, mapInner, mapKey, mapLeaf } from "./head-record.ts";
import { sha256 } from "./hash.ts";
import { bucketOf, readBuckets, rootOfBuckets } from "./map-buckets.ts";
import { type MapPath, verifyAbsence, verifyHead } from "./map-path.ts";
import { fromHex, vector } from "./testing/vectors.ts";

interface VectorHead {
  readonly chain: string;
  readonly size: number;
  readonly root: string;
  readonly record: string;
  readonly key: string;
  readonly path: readonly string[];
}

const { maps } = vector<{
  readonly maps: readonly {
    readonly root: string;
    readonly heads: readonly VectorHead[];
    readonly absent: {
      readonly chain: string;
      readonly path: readonly string[];
      readonly ends_with: "empty" | { readonly key: string; readonly value: string };
    };
  }[];
}>("map.json");

const headOf = ({ chain, root, size }: VectorHead): Head => ({
  chain,
  size,
  root: Buffer.from(root, "hex"),
});

function mapOf(heads: readonly Head[]): HeadMap {
  const map = new HeadMap();
  for (const head of heads) map.set(head);
  return map;
}

/** The definition, by recursion over the heads. */
function naiveRoot(heads: readonly Head[], depth = 0): Buffer {
  const [head] = heads;
  if (head === undefined) return Buffer.alloc(32);
  if (heads.length === 1) return mapLeaf(mapKey(head.chain), sha256(headRecord(head)));
  const side = (bit: number) => heads.filter(({ chain }) => bitAt(mapKey(chain), depth) === bit);
  return mapInner(naiveRoot(side(0), depth + 1), naiveRoot(side(1), depth + 1));
}

const someHeads = fc.uniqueArray(
  fc.record({
    chain: fc.nat(5_000).map((at) => `acct_${at.toString(36)}`),
    size: fc.nat(1_000),
    root: fc.nat(255).map((byte) => Buffer.alloc(32, byte)),
  }),
  { selector: ({ chain }) => chain, maxLength: 700, size: "max" },
);

describe("the vectors", () => {
  test.each(maps)("a map of $heads.length chains", ({ absent, heads, root }) => {
    const map = mapOf(heads.map(headOf));
    expect(map.root().toString("hex")).toBe(root);
    for (const head of heads) {
      expect(headRecord(headOf(head))).toBe(head.record);
      expect(mapKey(head.chain).toString("hex")).toBe(head.key);
      expect(map.path(head.chain)).toEqual({ siblings: fromHex(head.path), end: { at: "chain" } });
      verifyHead(map.root(), headOf(head), fromHex(head.path));
    }
    const { chain, ends_with: end, path } = absent;
    const expected: MapPath = {
      siblings: fromHex(path),
      end:
        end === "empty"
          ? { at: "empty" }
          : {
              at: "other",
              key: fromHex([end.key])[0] as Buffer,
              value: fromHex([end.value])[0] as Buffer,
            },
    };
    expect(map.path(chain)).toEqual(expected);
    verifyAbsence(map.root(), chain, expected);
  });
});

describe("for any heads", () => {
  test("the root is that of the definition, in any order and after any change", () => {
    fc.assert(
      fc.property(someHeads, fc.nat(), (heads, seed) => {
        const map = mapOf(heads);
        expect(map.root()).toEqual(naiveRoot(heads));
        expect(mapOf(heads.toReversed()).root()).toEqual(map.root());
        const changed = heads.map((head, at) =>
          (at + seed) % 3 === 0 ? { ...head, size: head.size + 1 } : head,
        );
        for (const head of changed) map.set(head);
        expect(map.root()).toEqual(naiveRoot(changed));
        expect(map.chains).toBe(heads.length);
      }),
      { numRuns: 40 },
    );
  });

  test("each head is proven, no other head is, and no absence of it", () => {
    fc.assert(
      fc.property(someHeads, fc.nat(), (heads, seed) => {
        const map = mapOf(heads);
        const root = map.root();
        const absent = map.path("acct_absent");
        verifyAbsence(root, "acct_absent", absent);
        const head = heads[seed % Math.max(1, heads.length)];
        if (head === undefined) return;
        const path = map.path(head.chain);
        verifyHead(root, head, path.siblings);
        const refused = (check: () => void) => expect(check).toThrow(/does not lead/);
        refused(() => verifyHead(root, { ...head, size: head.size + 1 }, path.siblings));
        refused(() => verifyHead(root, { ...head, chain: "acct_absent" }, path.siblings));
        refused(() => verifyHead(root, head, [...path.siblings, Buffer.alloc(32)]));
        refused(() => verifyHead(root, head, [Buffer.alloc(32, 9), ...path.siblings]));
        refused(() => verifyAbsence(root, head.chain, path));
        refused(() => verifyAbsence(root, head.chain, { ...path, end: { at: "empty" } }));
        refused(() => verifyAbsence(root, head.chain, absent));
        const value = sha256(headRecord(head));
        const itself: MapPath = { ...path, end: { at: "other", key: mapKey(head.chain), value } };
        refused(() => verifyAbsence(root, head.chain, itself));
      }),
      { numRuns: 40 },
    );
  });

  test("the buckets give the root, and with the heads of one bucket every path", () => {
    fc.assert(
      fc.property(someHeads, (heads) => {
        const map = mapOf(heads);
        const bytes = map.buckets();
        expect(bytes).toHaveLength(8_448);
        const buckets = readBuckets(bytes);
        expect(rootOfBuckets(buckets)).toEqual(map.root());
        for (const { chain } of heads.slice(0, 20)) {
          const same = heads.filter((head) => bucketOf(head.chain) === bucketOf(chain));
          expect(pathFromBuckets(buckets, chain, same)).toEqual(map.path(chain));
        }
      }),
      { numRuns: 40 },
    );
  });
});

test("of 10,000 accounts every seventh is looked at: it has its head, and another chain has none", () => {
  const headOfAccount = (at: number): Head => ({
    chain: `acct_${at}`,
    size: at,
    root: Buffer.alloc(32, at),
  });
  const heads = Array.from({ length: 10_000 }, (_, at) => headOfAccount(at));
  const map = mapOf(heads);
  const root = map.root();
  expect(map.chains).toBe(10_000);
  for (let at = 0; at < heads.length; at += 7) {
    const head = headOfAccount(at);
    verifyHead(root, head, map.path(head.chain).siblings);
    const other = `acct_${10_000 + at}`;
    verifyAbsence(root, other, map.path(other));
  }
});

test("hashing in slices yields between them and gives the same root", () => {
  const heads = Array.from({ length: 300 }, (_, at) => ({
    chain: `acct_${at}`,
    size: at,
    root: Buffer.alloc(32, at),
  }));
  const map = mapOf(heads);
  let yields = 0;
  for (const _ of map.rehash(50)) yields += 1;
  expect(yields).toBeGreaterThan(4);
  expect(map.root()).toEqual(naiveRoot(heads));
});

test("buckets of other bytes are refused", () => {
  const bytes = mapOf([{ chain: "acct_1", size: 1, root: Buffer.alloc(32) }]).buckets();
  const at = bytes.indexOf(1) - (bytes.indexOf(1) % 33);
  for (const kind of [0, 3, 255]) {
    const changed = Buffer.from(bytes);
    changed[at] = kind;
    expect(() => readBuckets(changed)).toThrow(/not the buckets/);
  }
  expect(() => readBuckets(bytes.subarray(1))).toThrow(/not the buckets/);
});

test.each([
  { chain: 'a"b', size: 1, root: Buffer.alloc(32) },
  { chain: "", size: 1, root: Buffer.alloc(32) },
  { chain: "acct_1", size: -1, root: Buffer.alloc(32) },
  { chain: "acct_1", size: 2 ** 53, root: Buffer.alloc(32) },
  { chain: "acct_1", size: 1, root: Buffer.alloc(31) },
])("%j is not a head", (head) => {
  expect(() => headRecord(head)).toThrow(/a head is/);
});
