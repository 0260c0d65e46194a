// Guarantees: a verification finds each hash in which the tree of a chain, its tiles on every level, and
// the covered head differ from the events, and names the first event. A tree that is behind its chain is
// not wrong.

import type { Database } from "@annals/postgres";
import { beforeEach, expect, test } from "vitest";
import { compareTiles } from "./store/compare-tiles.ts";
import { NEVER } from "../testing/block-fixtures.ts";
import { openPool } from "../testing/database.ts";
import { TestLog } from "../testing/test-log.ts";
import { BlockChecker } from "./block-checker.ts";
import { verifyTree } from "./verify-tree.ts";

const ACCOUNT = "acct_1";
const [EVENTS, WIDTH] = [600, 256];

let log: TestLog;

beforeEach(async () => {
  log = await TestLog.open();
  await log.grow(ACCOUNT, EVENTS);
  await log.newCloser().run();
});

const verifyFrom = (from: number, to: number) => {
  const deps = { blocks: new BlockChecker(2), database: openPool(log.owner.url) };
  return verifyTree(deps, ACCOUNT, { from, to }, NEVER);
};

const change = (column: string) =>
  `${column} = set_byte(${column}, 3, 255 - get_byte(${column}, 3))`;

test("a tree that is right, whole and in part, and one that is behind", async () => {
  expect(await verifyFrom(1, EVENTS)).toBeUndefined();
  expect(await verifyFrom(200, 520)).toBeUndefined();
  await log.append(ACCOUNT, 400);
  expect(await verifyFrom(1, EVENTS + 400)).toBeUndefined();
});

test("the verifications of a process share one limit on concurrent comparisons of tiles", async () => {
  const pool = openPool(log.owner.url);
  let [running, most] = [0, 0];
  const run: Database["run"] = async (statement, params) => {
    const counts = statement.name === compareTiles.name ? 1 : 0;
    running += counts;
    most = Math.max(most, running);
    return pool.run(statement, params).finally(() => (running -= counts));
  };
  const deps = { blocks: new BlockChecker(1), database: { run } };
  const verify = () => verifyTree(deps, ACCOUNT, { from: 1, to: EVENTS }, NEVER);
  expect(await Promise.all([verify(), verify(), verify()])).toEqual(Array(3).fill(undefined));
  expect(most).toBe(1);
});

test.each([
  ["an event", `UPDATE ledger.events SET ${change("hash")} WHERE sequence_number = 300`, 300],
  [
    "the last event of a tile",
    `UPDATE ledger.events SET ${change("hash")} WHERE sequence_number = 512`,
    512,
  ],
  [
    "an event after the last full tile",
    `UPDATE ledger.events SET ${change("hash")} WHERE sequence_number = 590`,
    EVENTS,
  ],
  ["a tile", `UPDATE ledger.tiles SET ${change("hashes")} WHERE tile = 1`, WIDTH + 1],
  ["the root of a tile", `UPDATE ledger.tiles SET ${change("root")} WHERE tile = 1`, WIDTH + 1],
  ["a tile that is gone", "DELETE FROM ledger.tiles WHERE tile = 0", 1],
  ["the covered head", `UPDATE ledger.account_heads SET ${change("root")}`, EVENTS],
])("%s that differs", async (_, sql, sequenceNumber) => {
  await log.owner.query(sql);
  const [event] = await log.owner.query<{ id: string }>(
    "SELECT id FROM ledger.events WHERE sequence_number = $1",
    [sequenceNumber],
  );
  expect(await verifyFrom(1, EVENTS)).toEqual({
    sequenceNumber,
    eventId: event?.id,
    reason: "tree_mismatch",
  });
});

test("a tile of the second level that differs", async () => {
  const events = WIDTH * WIDTH;
  await log.owner.query(
    `INSERT INTO ledger.events
     SELECT account_id, n, 'evt_' || n, action, occurred_at, received_at, created_at, digests, previous_hash,
       sha256(n::text::bytea), actor, context, diff, metadata, target, salts
     FROM ledger.events, generate_series(${EVENTS + 1}, ${events}) AS n WHERE sequence_number = 1`,
  );
  await log.owner.query("UPDATE ledger.heads SET sequence_number = $1", [events]);
  await log.growTrees();
  expect(await verifyFrom(1, events)).toBeUndefined();
  await log.owner.query(`UPDATE ledger.tiles SET ${change("hashes")} WHERE level = 1`);
  expect(await verifyFrom(1, events)).toMatchObject({ sequenceNumber: 1 });
});
