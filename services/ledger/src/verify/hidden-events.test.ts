// Guarantee: where the filter index was changed so that lists skip an event, or counts put it into a bar of
// another time, the verification of a range of up to 100,000 events names that event, and of no longer range.
// What the index has too much hides nothing, and what it leaves to the events is right.

import type { Pool } from "@annals/postgres";
import { InvalidReason } from "@annals/proto/ledger";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { appendAll, indexAll, timeOf } from "../testing/index-fixtures.ts";
import { changeEntry } from "../testing/segment-fixtures.ts";
import { runCommand } from "../testing/run-command.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

const ACCOUNT = "acct_1";

let database: TestDatabase;
let ledger: TestLedger;

/** What a test may change; every test begins with what was indexed. */
const CHANGED = ["ledger.segments", "ledger.blocks"];
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

const sql = (text: string) => () => database.query(text);
const FIELD = { action: 1, actorId: 2, actorType: 3, targetId: 4, targetType: 5 };
/** Changes the places of a key in the second chunk. */
const entry =
  (
    field: keyof typeof FIELD,
    key: string,
    change: (places: readonly number[]) => readonly number[] | undefined,
  ) =>
  () =>
    changeEntry(database, ACCOUNT, { field: FIELD[field], key, base: CHUNK_SIZE }, change);
const withoutFirst = (places: readonly number[]) => places.slice(1);

const same = (time: number) => time;
/** Changes the time and the events of a run of the second chunk; the run behind it has the others. */
const run =
  (unit: "minutes" | "quarters", n: number, change: (time: number) => number, events = 0) =>
  async () => {
    const [row] = await database.query<Record<string, Buffer>>(
      `SELECT ${unit} FROM ledger.segments WHERE base = 4096`,
    );
    const runs = row?.[unit] ?? expect.unreachable();
    runs.writeInt32BE(change(runs.readInt32BE(6 * n)), 6 * n);
    runs.writeUInt16BE(runs.readUInt16BE(6 * n + 4) + events, 6 * n + 4);
    runs.writeUInt16BE(runs.readUInt16BE(6 * n + 10) - events, 6 * n + 10);
    await database.query(`UPDATE ledger.segments SET ${unit} = $1 WHERE base = 4096`, [runs]);
  };
/** The first event of a run of the second chunk: an event occurred each second from a whole hour on. */
const runOf = (seconds: number, n: number) => (Math.floor(CHUNK_SIZE / seconds) + n) * seconds + 1;
const minuteRun = (n: number) => runOf(60, n);
const quarterRun = (n: number) => runOf(900, n);

test.each([
  ["all of it is there", sql("SELECT"), 0],
  ["nothing is indexed", sql("DELETE FROM ledger.segments"), 0],
  ["the last segment is not indexed", sql("DELETE FROM ledger.segments WHERE base = 8192"), 0],
  ["a key has an event too many", entry("action", "rare", (places) => [...places, 4_099]), 0],
  [
    "a field is added",
    sql(
      `INSERT INTO ledger.blocks SELECT DISTINCT account_id, field, level, base, 'x', '{x}'::text[], NULL::smallint[],
         '\\x0001'::bytea
       FROM ledger.blocks WHERE field = 1`,
    ),
    0,
  ],
  [
    "times hide what occurred early",
    sql("UPDATE ledger.segments SET earliest = 'x' WHERE base = 4096"),
    second,
  ],
  [
    "times hide what occurred late",
    sql("UPDATE ledger.segments SET latest = '' WHERE base = 8192"),
    2 * CHUNK_SIZE + 1,
  ],
  [
    "times hide what was received early",
    sql("UPDATE ledger.segments SET first_received = 'x' WHERE base = 4096"),
    second,
  ],
  [
    "times hide what was received late",
    sql("UPDATE ledger.segments SET last_received = '' WHERE base = 8192"),
    2 * CHUNK_SIZE + 1,
  ],
  [
    "times begin earlier than the first event",
    sql("UPDATE ledger.segments SET earliest = '2025' WHERE base = 4096"),
    second,
  ],
  [
    "times end later than the last event",
    sql("UPDATE ledger.segments SET last_received = '~' WHERE base = 4096"),
    second,
  ],
  ["a run by minutes has another time", run("minutes", 2, (time) => time + 1), minuteRun(2)],
  ["a run by quarters has another time", run("quarters", 1, (time) => time - 1), quarterRun(1)],
  ["a run has an event less than its minute", run("minutes", 2, same, -1), minuteRun(3) - 1],
  ["runs that leave all times to the events", sql("UPDATE ledger.segments SET minutes = ''"), 0],
  ["a run that leaves its times to the events", run("quarters", 1, () => -(2 ** 31)), 0],
  [
    "a segment between others is gone",
    sql("DELETE FROM ledger.segments WHERE base = 4096"),
    second,
  ],
  ["the first segment is gone", sql("DELETE FROM ledger.segments WHERE base = 0"), 1],
  [
    "a segment was moved",
    sql("UPDATE ledger.segments SET base = 9 * 4096 WHERE base = 8192"),
    2 * CHUNK_SIZE + 1,
  ],
  ["a key is gone", entry("action", "rare", () => undefined), at(99)],
  ["an action lacks an event", entry("action", "rare", withoutFirst), at(99)],
  ["an actor's id lacks an event", entry("actorId", "u_7", withoutFirst), at(7)],
  ["a target's id lacks an event", entry("targetId", "t_8", withoutFirst), at(8)],
  ["an actor's type lacks an event", entry("actorType", "user", withoutFirst), second],
  [
    "a target's type lacks an event",
    entry("targetType", "thing", (places) => places.filter((place) => place !== CHUNK_SIZE + 20)),
    second + 20,
  ],
  [
    "a key was changed",
    sql("UPDATE ledger.blocks SET keys = array_replace(keys, 'u_7', 'u_6a') WHERE base = 4096"),
    at(7),
  ],
  [
    "the keys of a block do not ascend",
    sql(
      `UPDATE ledger.blocks SET keys = keys[2:2] || keys[1:1] || keys[3:],
         counts = counts[2:2] || counts[1:1] || counts[3:],
         places = substring(places FROM 2 * counts[1] + 1 FOR 2 * counts[2]) || substring(places FOR 2 * counts[1])
           || substring(places FROM 2 * (counts[1] + counts[2]) + 1)
       WHERE first = 'u_0' AND base = 4096`,
    ),
    at(0),
  ],
  [
    "a block begins behind its first key",
    sql("UPDATE ledger.blocks SET first = 'u_00' WHERE first = 'u_0' AND base = 4096"),
    at(0),
  ],
  [
    "a block has the place of another segment",
    sql("UPDATE ledger.blocks SET base = 9 * 4096 WHERE field = 2 AND base = 4096"),
    second,
  ],
] as const)("%s", async (_, change, number) => {
  expect(await database.query("SELECT FROM ledger.segments")).toHaveLength(3);
  await change();
  const reason = number === 0 ? undefined : InvalidReason.DIGEST_MISMATCH;
  expect(await verify()).toEqual({ valid: number === 0, at: number, reason });
});

test("the command verify says what of the index is wrong", async () => {
  const command = () => runCommand(database.url, ["verify", "--account", ACCOUNT]);
  expect(await command()).toMatchObject({ status: 0, stderr: "" });
  await run("minutes", 2, (time) => time + 1)();
  const { status, stderr, stdout } = await command();
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr:
      "the filter index is wrong, not the event: minutes of the segment at level 0, base 4096\n",
  });
  expect(JSON.parse(stdout)).toMatchObject({
    first_invalid: { sequence_number: minuteRun(2), reason: "digest_mismatch" },
  });
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
  await entry("action", "rare", withoutFirst)();
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
  await entry("actorType", "user", withoutFirst)();
  const range = { accountId: ACCOUNT, toSequence: BigInt(2 * CHUNK_SIZE) };
  const inRange = (from: number) =>
    ledger.client.verifyChain({ ...range, fromSequence: BigInt(from) });
  expect(await inRange(second)).toMatchObject({ valid: false });
  expect(await inRange(second + 1)).toMatchObject({ valid: true });
});
