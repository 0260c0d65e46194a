// Guarantee: where the filter index was changed so that lists skip an event, the verification of a range of
// up to 100,000 events names that event, and of no longer range. What the index has too much hides nothing.

import type { Pool } from "@annals/postgres";
import { InvalidReason } from "@annals/proto/ledger";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { appendAll, indexAll, timeOf } from "../testing/index-fixtures.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

const ACCOUNT = "acct_1";

let database: TestDatabase;
let ledger: TestLedger;

/** What a test may change; every test begins with what was indexed. */
const CHANGED = ["ledger.chunks", "ledger.postings"];
let isMade = false;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
});

beforeEach(async () => {
  ledger = openLedger(database);
  if (isMade) {
    for (const table of CHANGED)
      await database.query(`TRUNCATE ${table}; INSERT INTO ${table} TABLE ${copyOf(table)}`);
    return;
  }
  await appendAll(ledger, ACCOUNT, sent);
  await indexAll(ledger.database);
  for (const table of CHANGED)
    await database.query(`CREATE TABLE ${copyOf(table)} AS TABLE ${table}`);
  isMade = true;
});

const copyOf = (table: string): string => table.replace("ledger.", "public.indexed_");

const verify = async () =>
  ledger.client.verifyChain({ accountId: ACCOUNT }).then(({ valid, firstInvalid }) => ({
    valid,
    at: Number(firstInvalid?.sequenceNumber ?? 0),
    reason: firstInvalid?.reason,
  }));

/** Three complete chunks and some; the actor and the target of every hundredth event are others. */
const sent = Array.from({ length: 3 * CHUNK_SIZE + 50 }, (_, index) => ({
  action: index % 100 === 99 ? "rare" : "common",
  occurredAt: timeOf(index),
  actorId: `u_${index % 100}`,
  actorType: "user",
  targetId: `t_${index % 100}`,
  targetType: "thing",
}));

const second = CHUNK_SIZE + 1;
/** The first event of the second chunk whose index is this modulo 100. */
const at = (index: number) => second + ((index - (CHUNK_SIZE % 100) + 100) % 100);

test.each([
  ["all of it is there", "SELECT", 0],
  ["nothing is indexed", "DELETE FROM ledger.chunks", 0],
  ["the last chunk is not indexed", "DELETE FROM ledger.chunks WHERE chunk = 2", 0],
  [
    "a posting has an event too many",
    "UPDATE ledger.postings SET ordinals = ordinals || 3::smallint WHERE value = 'rare' AND chunk = 1",
    0,
  ],
  [
    "a posting is added",
    "INSERT INTO ledger.postings SELECT account_id, field, 'x', chunk, ordinals FROM ledger.postings WHERE value = 'rare'",
    0,
  ],
  [
    "times hide what occurred early",
    "UPDATE ledger.chunks SET earliest = 'x' WHERE chunk = 1",
    second,
  ],
  [
    "times hide what occurred late",
    "UPDATE ledger.chunks SET latest = '' WHERE chunk = 2",
    2 * CHUNK_SIZE + 1,
  ],
  [
    "times hide what was received early",
    "UPDATE ledger.chunks SET first_received = 'x' WHERE chunk = 1",
    second,
  ],
  [
    "times hide what was received late",
    "UPDATE ledger.chunks SET last_received = '' WHERE chunk = 2",
    2 * CHUNK_SIZE + 1,
  ],
  ["a chunk between others is gone", "DELETE FROM ledger.chunks WHERE chunk = 1", second],
  ["the first chunk is gone", "DELETE FROM ledger.chunks WHERE chunk = 0", 1],
  ["a chunk was moved", "UPDATE ledger.chunks SET chunk = 9 WHERE chunk = 2", 2 * CHUNK_SIZE + 1],
  ["a posting is gone", "DELETE FROM ledger.postings WHERE value = 'rare' AND chunk = 1", at(99)],
  [
    "an action lacks an event",
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[1]) WHERE value = 'rare' AND chunk = 1",
    at(99),
  ],
  [
    "an actor's id lacks an event",
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[1]) WHERE value = 'u_7' AND chunk = 1",
    at(7),
  ],
  [
    "a target's id lacks an event",
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[1]) WHERE value = 't_8' AND chunk = 1",
    at(8),
  ],
  [
    "an actor's type lacks an event",
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[1]) WHERE value = 'user' AND chunk = 1",
    second,
  ],
  [
    "a target's type lacks an event",
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, 20::smallint) WHERE value = 'thing' AND chunk = 1",
    second + 20,
  ],
  [
    "a posting was moved",
    "UPDATE ledger.postings SET value = 'v' WHERE value = 'u_7' AND chunk = 1",
    at(7),
  ],
  [
    "a posting has the place of another chunk",
    "UPDATE ledger.postings SET chunk = 9 WHERE value = 'u_7' AND chunk = 1",
    at(7),
  ],
])("%s", async (_, text, number) => {
  expect(await database.query("SELECT FROM ledger.chunks")).toHaveLength(3);
  await database.query(text);
  const reason = number === 0 ? undefined : InvalidReason.DIGEST_MISMATCH;
  expect(await verify()).toEqual({ valid: number === 0, at: number, reason });
});

test("an event that is changed and hidden is named by its change", async () => {
  await database.query("UPDATE ledger.events SET action = 'other' WHERE sequence_number = 5001");
  expect(await verify()).toEqual({
    valid: false,
    at: 5_001,
    reason: InvalidReason.HASH_MISMATCH,
  });
  await database.query("UPDATE ledger.events SET action = 'common' WHERE action = 'other'");
});

test("of a changed and a hidden event the first one is named", async () => {
  await database.query("UPDATE ledger.events SET action = 'other' WHERE sequence_number = 5001");
  await database.query(
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[1]) WHERE value = 'rare' AND chunk IN (1, 2)",
  );
  expect(await ledger.client.verifyChain({ accountId: ACCOUNT })).toMatchObject({
    firstInvalid: { sequenceNumber: BigInt(at(99)), reason: InvalidReason.DIGEST_MISMATCH },
    checked: BigInt(at(99)),
  });
  await database.query("UPDATE ledger.events SET action = 'common' WHERE action = 'other'");
});

test("the index is compared in ranges of up to 100,000 events", async () => {
  let compared = 0;
  const watching = (pool: Pool): Pool => ({
    ...pool,
    run: (statement, params) => {
      compared += statement.name === "ledger.get-search-ends" ? 1 : 0;
      return pool.run(statement, params);
    },
  });
  const { client } = openLedger(database, undefined, watching);
  const [head] = await database.query<{ length: string }>(
    "SELECT sequence_number AS length FROM ledger.heads",
  );
  // A head beyond the last event is found, too: only the length of the range counts here.
  const setHead = (length: unknown) =>
    database.query("UPDATE ledger.heads SET sequence_number = $1::bigint", [length]);
  const verifyTo = async (length: number, fromSequence = 1n) => {
    await setHead(length);
    compared = 0;
    expect((await client.verifyChain({ accountId: ACCOUNT, fromSequence })).valid).toBe(false);
    return compared;
  };
  expect(await verifyTo(100_000)).toBe(1);
  expect(await verifyTo(100_001)).toBe(0);
  expect(await verifyTo(100_001, 2n)).toBe(1);
  await setHead(head?.length);
});

test("a range is verified with what the index says of it alone", async () => {
  await database.query(
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[1]) WHERE value = 'user' AND chunk = 1",
  );
  const range = { accountId: ACCOUNT, toSequence: BigInt(2 * CHUNK_SIZE) };
  const inRange = (from: number) =>
    ledger.client.verifyChain({ ...range, fromSequence: BigInt(from) });
  expect(await inRange(second)).toMatchObject({ valid: false });
  expect(await inRange(second + 1)).toMatchObject({ valid: true });
});
