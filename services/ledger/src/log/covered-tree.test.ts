// Guarantees: what the log shows of an account ends at the size that its newest served epoch covers, though
// its chain and its tree are longer. Up to there each tile, bundle of entries and proof is what RFC 6962
// says of the hashes of its events, at every size that the tree has had. Nothing is shown before an epoch
// covers the account, nor of another account.

import { createLog } from "@annals/chassis";
import { leafHash } from "@annals/event";
import type { TestDatabase } from "@annals/testing";
import {
  append,
  EMPTY_TREE,
  rootOf,
  TILE_WIDTH,
  tileRoot,
  tilesOf,
  verifyConsistency,
  verifyInclusion,
} from "@annals/tlog";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GrownChains } from "../append/grown-chains.ts";
import { newLedgerDatabase, openPool } from "../testing/database.ts";
import { growAllTrees } from "../testing/grow-all-trees.ts";
import { appendOf, openLedger, type TestLedger } from "../testing/test-ledger.ts";
import { TreeBuilder } from "./worker/tree-builder.ts";

const ACCOUNT = "acct_1";
const OTHER = "acct_2";
const COVERED = 3 * TILE_WIDTH + 5;
const STORED = COVERED + 300;

let owner: TestDatabase;
let ledger: TestLedger;
let leaves: Buffer[];

const rootAt = (size: number) => rootOf(append(EMPTY_TREE, leaves.slice(0, size)));

beforeAll(async () => {
  owner = await newLedgerDatabase(afterAll);
  ledger = openLedger(owner, undefined, undefined, false, undefined, undefined, afterAll);
  for (let left = STORED; left > 0; left -= 500)
    await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, Math.min(left, 500))] });
  await ledger.client.createEvents({ appends: [appendOf(OTHER, 3)] });
  const grown = new GrownChains();
  const builder = new TreeBuilder({
    database: openPool(owner.url, { atEnd: afterAll }),
    grown,
    log: createLog({ service: "test", level: "error" }),
    lag: () => {},
    mismatched: () => {},
  });
  await growAllTrees(builder, grown);
  const rows = await owner.query<{ hash: Buffer }>(
    "SELECT hash FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number",
    [ACCOUNT],
  );
  leaves = rows.map(({ hash }) => hash);
  // The second epoch is not served: a quorum of witnesses has not seen it.
  for (const [epoch, size, isServed] of [
    [1, COVERED, true],
    [2, STORED, false],
  ] as const) {
    await owner.query(
      `INSERT INTO ledger.epochs (log, epoch, entry, time, checkpoint, quorum_at)
       VALUES (1, $1, '', '', '', CASE WHEN $2 THEN now() END)`,
      [epoch, isServed],
    );
    await owner.query(
      "INSERT INTO ledger.account_heads (account_id, log, epoch, size, root) VALUES ($1, 1, $2, $3, $4)",
      [ACCOUNT, epoch, size, rootAt(size)],
    );
  }
});

const tileOf = async (level: number, index: number, width = TILE_WIDTH, accountId = ACCOUNT) => {
  const request = { accountId, level, index: BigInt(index), width };
  return Buffer.from((await ledger.client.readTile(request)).hashes);
};

const entriesOf = async (index: number, width = TILE_WIDTH, accountId = ACCOUNT) => {
  const request = { accountId, index: BigInt(index), width };
  return Buffer.from((await ledger.client.readEntries(request)).entries);
};

const inclusionOf = (sequence: number, size = 0, accountId = ACCOUNT) =>
  ledger.client.proveInclusion({
    accountId,
    sequenceNumber: BigInt(sequence),
    size: BigInt(size),
  });

const consistencyOf = (from: number, to = 0, accountId = ACCOUNT) =>
  ledger.client.proveConsistency({ accountId, from: BigInt(from), to: BigInt(to) });

const NOT_FOUND = { code: Code.NotFound };

describe("tiles", () => {
  test("of all levels are the hashes of the events, and the roots of the tiles below", async () => {
    for (const { level, index, width } of tilesOf(COVERED)) {
      const tile = await tileOf(level, index, width);
      const first = index * TILE_WIDTH;
      if (level === 0) expect(tile).toEqual(Buffer.concat(leaves.slice(first, first + width)));
      for (let at = 0; level > 0 && at < width; at += 1) {
        const below = await tileOf(level - 1, first + at);
        expect(tile.subarray(at * 32, (at + 1) * 32)).toEqual(tileRoot(below));
      }
    }
  });

  test("a partial tile is the beginning of the full one", async () => {
    const full = await tileOf(0, 1);
    for (const width of [1, 100, 255])
      expect(await tileOf(0, 1, width)).toEqual(full.subarray(0, width * 32));
    expect(await tileOf(1, 0, 2)).toEqual((await tileOf(1, 0, 3)).subarray(0, 64));
  });

  test("end where the newest served epoch ends", async () => {
    expect(await tileOf(0, 3, 5)).toHaveLength(5 * 32);
    await expect(tileOf(0, 3, 6)).rejects.toMatchObject(NOT_FOUND);
    await expect(tileOf(0, 3)).rejects.toMatchObject(NOT_FOUND);
    await expect(tileOf(1, 0, 4)).rejects.toMatchObject(NOT_FOUND);
    await expect(tileOf(0, 4, 1)).rejects.toMatchObject(NOT_FOUND);
    await expect(tileOf(2, 0, 1)).rejects.toMatchObject(NOT_FOUND);
    await expect(tileOf(63, 0, 1)).rejects.toMatchObject(NOT_FOUND);
  });
});

describe("entries", () => {
  test("are texts whose leaf hashes are the tile", async () => {
    for (const [index, width] of [
      [0, TILE_WIDTH],
      [2, 7],
      [3, 5],
    ] as const) {
      const bundle = await entriesOf(index, width);
      const hashes: string[] = [];
      for (let at = 0; at < bundle.length;) {
        const end = at + 2 + bundle.readUInt16BE(at);
        hashes.push(leafHash(bundle.subarray(at + 2, end).toString()));
        at = end;
      }
      expect(Buffer.from(hashes.join(""), "hex")).toEqual(await tileOf(0, index, width));
      expect(hashes).toHaveLength(width);
    }
  });

  test("end where the newest served epoch ends", async () => {
    await expect(entriesOf(3, 6)).rejects.toMatchObject(NOT_FOUND);
    await expect(entriesOf(4, 1)).rejects.toMatchObject(NOT_FOUND);
  });
});

const SIZES = [1, 2, 255, 256, 257, 511, 512, 700, COVERED - 1, COVERED];

describe("proofs", () => {
  test("of inclusion hold at every size that the tree has had", async () => {
    for (const size of SIZES) {
      for (const sequence of new Set([1, Math.ceil(size / 2), size])) {
        const proof = await inclusionOf(sequence, size);
        const hashes = proof.hashes.map((hash) => Buffer.from(hash));
        expect(Buffer.from(proof.leaf)).toEqual(leaves[sequence - 1]);
        expect(Buffer.from(proof.root)).toEqual(rootAt(size));
        verifyInclusion(sequence - 1, size, Buffer.from(proof.leaf), hashes, rootAt(size));
      }
    }
    expect(await inclusionOf(7)).toMatchObject({ size: BigInt(COVERED) });
  });

  test("of consistency hold between every two sizes", async () => {
    for (const from of SIZES) {
      for (const to of SIZES.filter((size) => size >= from)) {
        const proof = await consistencyOf(from, to);
        const hashes = proof.hashes.map((hash) => Buffer.from(hash));
        const [older, newer] = [rootAt(from), rootAt(to)];
        expect(Buffer.from(proof.fromRoot)).toEqual(older);
        expect(Buffer.from(proof.toRoot)).toEqual(newer);
        verifyConsistency({ size: from, root: older }, { size: to, root: newer }, hashes);
      }
    }
    expect(await consistencyOf(7)).toMatchObject({ from: 7n, to: BigInt(COVERED) });
  });

  test("end where the newest served epoch ends", async () => {
    await expect(inclusionOf(1, COVERED + 1)).rejects.toMatchObject(NOT_FOUND);
    await expect(inclusionOf(COVERED + 1)).rejects.toMatchObject(NOT_FOUND);
    await expect(consistencyOf(1, COVERED + 1)).rejects.toMatchObject(NOT_FOUND);
    await expect(consistencyOf(COVERED + 1)).rejects.toMatchObject(NOT_FOUND);
  });

  test("an event after the size, or a size after the other, is named", async () => {
    const code = Code.InvalidArgument;
    await expect(inclusionOf(8, 7)).rejects.toMatchObject({ code });
    await expect(inclusionOf(0)).rejects.toMatchObject({ code });
    await expect(consistencyOf(8, 7)).rejects.toMatchObject({ code });
    await expect(consistencyOf(0, 7)).rejects.toMatchObject({ code });
  });

  test("are refused where a tile has another hash than the head was made of", async () => {
    const damage = (hash: Buffer) =>
      owner.query(
        "UPDATE ledger.tiles SET hashes = overlay(hashes PLACING $1::bytea FROM 1) WHERE account_id = $2 AND tile = 0",
        [hash, ACCOUNT],
      );
    await damage(Buffer.alloc(32, 1));
    try {
      await expect(inclusionOf(2)).rejects.toMatchObject({ code: Code.Internal });
      await expect(consistencyOf(2)).rejects.toMatchObject({ code: Code.Internal });
    } finally {
      await damage(leaves[0] ?? Buffer.alloc(0));
    }
    expect(await inclusionOf(2)).toMatchObject({ size: BigInt(COVERED) });
  });
});

test("an account that no served epoch covers has nothing to show", async () => {
  await expect(tileOf(0, 0, 1, OTHER)).rejects.toMatchObject(NOT_FOUND);
  await expect(entriesOf(0, 1, OTHER)).rejects.toMatchObject(NOT_FOUND);
  await expect(inclusionOf(1, 0, OTHER)).rejects.toMatchObject(NOT_FOUND);
  await expect(consistencyOf(1, 0, OTHER)).rejects.toMatchObject(NOT_FOUND);
});
