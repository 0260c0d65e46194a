// Guarantees: the tree of each chain has every event of it, as RFC 6962 says, with its full tiles, however it
// grew: by single events, over many runs, in several replicas at once, or from a chain that was there before.
// A chain that lacks an event keeps its last tree and no other's, and so does one whose server is away. One
// that is shorter than its tree is reported.

import { createLog } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import { lostServer, type TestDatabase } from "@annals/testing";
import { append, EMPTY_TREE, rootOf } from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import { NEVER } from "../../testing/block-fixtures.ts";
import { growAllTrees } from "../../testing/grow-all-trees.ts";
import { appendOf, openLedger, type TestLedger } from "../../testing/test-ledger.ts";
import { GrownChains } from "../../append/grown-chains.ts";
import { TreeBuilder } from "./tree-builder.ts";

const ACCOUNT = "acct_1";
const OTHER = "acct_2";
const WIDTH = 256;

let owner: TestDatabase;
let ledger: TestLedger;

beforeEach(async () => {
  owner = await newLedgerDatabase();
  ledger = openLedger(owner);
});

const grow = (accountId: string, events: number) =>
  ledger.client.createEvents({ appends: [appendOf(accountId, events)] });

function newBuilder(run?: Pool["run"]) {
  const grown = new GrownChains();
  const lags: number[] = [];
  let mismatches = 0;
  const pool = openPool(owner.url);
  const builder = new TreeBuilder({
    database: run === undefined ? pool : { run },
    grown,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
    lag: (events) => lags.push(events),
    mismatched: (chains) => (mismatches += chains),
  });
  return {
    grown,
    lags,
    pool,
    mismatches: () => mismatches,
    run: () => builder.run(NEVER),
    build: () => growAllTrees(builder, grown),
  };
}

/** The tree that the chain has now, from its events alone. */
async function expected(accountId: string) {
  const rows = await owner.query<{ hash: Buffer }>(
    "SELECT hash FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number",
    [accountId],
  );
  const leaves = rows.map(({ hash }) => hash);
  const tiles: object[] = [];
  let hashes = leaves;
  for (let level = 0; hashes.length >= WIDTH; level += 1) {
    const roots: Buffer[] = [];
    for (let at = 0; at + WIDTH <= hashes.length; at += WIDTH) {
      const tile = hashes.slice(at, at + WIDTH);
      const root = rootOf(append(EMPTY_TREE, tile));
      tiles.push({ level, tile: String(at / WIDTH), root, hashes: Buffer.concat(tile) });
      roots.push(root);
    }
    hashes = roots;
  }
  const tree = append(EMPTY_TREE, leaves);
  return { size: String(leaves.length), root: rootOf(tree), tiles };
}

async function stored(accountId: string) {
  const [tree] = await owner.query<{ size: string; root: Buffer }>(
    "SELECT size, root FROM ledger.trees WHERE account_id = $1",
    [accountId],
  );
  const tiles = await owner.query<object>(
    "SELECT level, tile, root, hashes FROM ledger.tiles WHERE account_id = $1 ORDER BY level, tile",
    [accountId],
  );
  return { ...tree, tiles };
}

test.each([
  ["events one by one", [1, 1, 1, 1, 1, 1, 1]],
  ["up to a full tile, and beyond", [255, 1, 1, 254, 2]],
  ["several tiles at once", [700, 5, 900]],
])("%s: the tree is that of the chain after each run", async (_, sizes) => {
  const builder = newBuilder();
  for (const size of sizes) {
    await grow(ACCOUNT, size);
    await builder.build();
    expect(await stored(ACCOUNT)).toEqual(await expected(ACCOUNT));
  }
  expect(builder.lags.at(-1)).toBeGreaterThanOrEqual(0);
  expect(builder.mismatches()).toBe(0);
});

test("a chain that was there before gets its tree in pieces, with tiles of the second level", async () => {
  // More than a tile of tiles: 65,536 events.
  const events = WIDTH * WIDTH + 300;
  await grow(ACCOUNT, 1);
  await owner.query(
    `INSERT INTO ledger.events
     SELECT account_id, n, 'evt_' || n, action, occurred_at, received_at, created_at, digests, previous_hash,
       sha256(n::text::bytea), actor, context, diff, metadata, target, salts
     FROM ledger.events, generate_series(2, $1::integer) AS n`,
    [events],
  );
  await owner.query("UPDATE ledger.heads SET sequence_number = $1", [events]);
  const builder = newBuilder();
  await builder.run();
  expect(Number((await stored(ACCOUNT)).size)).toBeLessThan(events);
  await builder.build();
  expect(await stored(ACCOUNT)).toEqual(await expected(ACCOUNT));
  await builder.build();
  expect(builder.lags.at(-1)).toBe(0);
});

test("a tree grows by a tile, and before that only if an epoch is near", async () => {
  const builder = newBuilder();
  await grow(ACCOUNT, WIDTH - 1);
  await builder.run();
  await builder.run();
  expect((await stored(ACCOUNT)).size).toBeUndefined();
  builder.grown.makeReady();
  await builder.run();
  expect((await stored(ACCOUNT)).size).toBe(String(WIDTH - 1));
  await grow(ACCOUNT, WIDTH);
  await builder.run();
  expect(await stored(ACCOUNT)).toEqual(await expected(ACCOUNT));
});

test.each([
  [[WIDTH - 1], 0],
  [[WIDTH], 1],
  [[WIDTH - 1, 1], 1],
])("appends of %j events let %i trees grow", (appends, trees) => {
  const grown = new GrownChains();
  for (const events of appends) grown.add(ACCOUNT, events, 1);
  expect(grown.take(10)).toHaveLength(trees);
});

test("what the list says again and again does not add up", () => {
  const grown = new GrownChains();
  for (let run = 0; run < WIDTH; run += 1) grown.addLacking(ACCOUNT, 100);
  expect(grown.take(10)).toEqual([]);
  grown.add(ACCOUNT, WIDTH - 100, WIDTH - 100);
  expect(grown.take(10)).toEqual([ACCOUNT]);
});

test("only trees that should have grown count as behind", async () => {
  const builder = newBuilder();
  await Promise.all([grow(ACCOUNT, WIDTH - 1), grow(OTHER, WIDTH)]);
  await builder.run();
  expect(builder.lags).toEqual([WIDTH]);
});

test("replicas at the same time store one tree, whichever is first", async () => {
  const replicas = [newBuilder(), newBuilder(), newBuilder()];
  for (const size of [300, 1, 5_000, 77]) {
    await Promise.all([grow(ACCOUNT, size), grow(OTHER, size)]);
    await Promise.all(replicas.map(({ build }) => build()));
    await newBuilder().build();
    expect(await stored(ACCOUNT)).toEqual(await expected(ACCOUNT));
    expect(await stored(OTHER)).toEqual(await expected(OTHER));
  }
});

test("a chain that lacks an event keeps its last tree, is reported, and keeps no other from growing", async () => {
  const builder = newBuilder();
  await Promise.all([grow(ACCOUNT, 5), grow(OTHER, 5)]);
  await builder.build();
  const before = await stored(ACCOUNT);
  await Promise.all([grow(ACCOUNT, 5), grow(OTHER, 5)]);
  await owner.query(
    "DELETE FROM ledger.events WHERE account_id = 'acct_1' AND sequence_number = 7",
  );
  await builder.build();
  expect(await stored(ACCOUNT)).toEqual(before);
  expect(await stored(OTHER)).toEqual(await expected(OTHER));
  expect(builder.mismatches()).toBeGreaterThan(0);
});

test("a chain that is shorter than its tree is reported, and its tree stays", async () => {
  const builder = newBuilder();
  await Promise.all([grow(ACCOUNT, 5), grow(OTHER, 5)]);
  await builder.build();
  const before = await stored(ACCOUNT);
  await owner.query(
    "DELETE FROM ledger.events WHERE account_id = 'acct_1' AND sequence_number = 5",
  );
  await owner.query("UPDATE ledger.heads SET sequence_number = 4 WHERE account_id = 'acct_1'");
  await builder.run();
  expect(builder.mismatches()).toBe(1);
  expect(await stored(ACCOUNT)).toEqual(before);
});

test("while a server is away, the trees of other accounts grow", async () => {
  const lost = new Set<string>();
  const { database } = ledger;
  const builder = newBuilder(lostServer<Pool["run"]>((...given) => database.run(...given), lost));
  await Promise.all([grow(ACCOUNT, 5), grow(OTHER, 5)]);
  await builder.build();
  await Promise.all([grow(ACCOUNT, 5), grow(OTHER, 5)]);
  lost.add(ACCOUNT);
  for (const accountId of [ACCOUNT, OTHER]) builder.grown.addLacking(accountId, WIDTH);
  await expect(builder.run()).rejects.toThrow("a server is away");
  expect((await stored(ACCOUNT)).size).toBe("5");
  expect(await stored(OTHER)).toEqual(await expected(OTHER));
});
