// Guarantees: a chain whose end was cut off, with its head moved back to what is left, is not valid where the
// range reaches its head: its tree, or its covered head alone, names the first event that is missing. Chains
// that grow during a verification, or that are as they were, are never reported.

import { beforeEach, expect, test } from "vitest";
import { aroundPool, openPool } from "../testing/database.ts";
import { TestLog } from "../testing/test-log.ts";
import { coveredHead } from "../log/covered-head.ts";
import { findCut } from "./find-cut.ts";

const ACCOUNT = "acct_1";
const [EVENTS, LEFT] = [600, 550];

let closer: ReturnType<TestLog["newCloser"]>;
let log: TestLog;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
  await log.grow(ACCOUNT, EVENTS);
});

const cover = async () => {
  log.later(3_600);
  await closer.run();
};

const cut = [
  `DELETE FROM ledger.events WHERE sequence_number > ${LEFT}`,
  `UPDATE ledger.heads SET sequence_number = events.sequence_number, hash = events.hash
   FROM ledger.events WHERE events.sequence_number = ${LEFT}`,
];
const tamper = async (statements: readonly string[]) => {
  for (const statement of statements) await log.owner.query(statement);
};

async function verify(range: { fromSequence?: bigint; toSequence?: bigint } = {}) {
  const { checked, firstInvalid } = await log.ledger.client.verifyChain({
    accountId: ACCOUNT,
    ...range,
  });
  if (!firstInvalid) return { checked: Number(checked) };
  const { eventId, reason, sequenceNumber } = firstInvalid;
  return { checked: Number(checked), first: Number(sequenceNumber), eventId, reason };
}

const TREE_MISMATCH = 6;
const missing = (first: number, checked: number) => ({
  checked,
  first,
  eventId: "",
  reason: TREE_MISMATCH,
});

test("a tree that no epoch covers names the first missing event", async () => {
  await tamper(cut);
  expect(await verify()).toEqual(missing(LEFT + 1, LEFT));
});

test("so does the covered head, where the tree was deleted", async () => {
  await cover();
  await tamper([...cut, "DELETE FROM ledger.trees", "DELETE FROM ledger.tiles"]);
  await log.growTrees();
  expect(await verify()).toEqual(missing(LEFT + 1, LEFT));
});

test("so does the tree of a chain that was deleted with its head", async () => {
  await tamper(["DELETE FROM ledger.events", "DELETE FROM ledger.heads"]);
  expect(await verify()).toEqual(missing(1, 0));
});

test("so do both after more appends, until the chain is as long as the tree", async () => {
  await cover();
  await tamper(cut);
  await log.append(ACCOUNT, 10);
  expect(await verify()).toEqual(missing(LEFT + 11, LEFT + 10));
});

test("only a range that reaches the head says that the chain goes on behind it", async () => {
  await cover();
  await tamper(cut);
  expect(await verify({ fromSequence: 300n })).toEqual(missing(LEFT + 1, LEFT - 299));
  expect(await verify({ toSequence: BigInt(LEFT) })).toEqual(missing(LEFT + 1, LEFT));
  expect(await verify({ toSequence: BigInt(LEFT - 1) })).toEqual({ checked: LEFT - 1 });
});

test("a chain that is as it was is not reported, whether its tree is behind it or not", async () => {
  expect(await verify()).toEqual({ checked: EVENTS });
  await cover();
  expect(await verify()).toEqual({ checked: EVENTS });
  await log.append(ACCOUNT, 5);
  expect(await verify()).toEqual({ checked: EVENTS + 5 });
});

test("a chain whose tree and covered head grow between any two statements is not reported", async () => {
  await cover();
  let statements = 0;
  const growing = aroundPool(openPool(log.owner.url), (pool) => ({
    ...pool,
    run: async (statement, params) => {
      const rows = await pool.run(statement, params);
      statements += 1;
      await log.grow(ACCOUNT, 256);
      await cover();
      return rows;
    },
  }));
  expect(await findCut(growing, ACCOUNT)).toBeUndefined();
  expect(statements).toBe(3);
  expect(await coveredHead(log.ledger.database, ACCOUNT)).toMatchObject({ size: EVENTS + 3 * 256 });
});
