// Guarantee: the scheduled verification takes each chain once in an interval, at one replica, and continues
// where it ended. It reports a chain that was changed since, or rewritten as a whole, and never counts it as
// verified. It compares each sealed segment of the filter index once, also one that was indexed later than
// its events were verified. It waits for a time of low load, but not permanently.

import { createLog, createRegistry } from "@annals/chassis";
import type { Route } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { CHUNK_SIZE } from "../../search/rules/chunk.ts";
import { createMetrics } from "../../metrics.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendAll, indexAll, timeOf } from "../../testing/index-fixtures.ts";
import { changeEntry } from "../../testing/segment-fixtures.ts";
import { appendOf, openLedger, type TestLedger } from "../../testing/test-ledger.ts";
import { BlockChecker } from "../block-checker.ts";
import { ScheduledVerification } from "./scheduled-verification.ts";

const ACCOUNT = "acct_1";
const NEVER = new AbortController().signal;

let database: TestDatabase;
let ledger: TestLedger;

beforeEach(async () => {
  database = await newLedgerDatabase();
  ledger = openLedger(database);
});

/** A replica whose load is low from its third pass on. */
async function newReplica(isAway = (_route: Route, _account: unknown): boolean => false) {
  const registry = createRegistry("test");
  const metrics = createMetrics(registry);
  const lines: string[] = [];
  let nowMs = 0;
  const statements: string[] = [];
  const pool = ledger.database;
  const counted: typeof pool = {
    ...pool,
    run: (statement, params) => {
      if (isAway(statement.route, params[0])) return Promise.reject(new Error("a server is away"));
      statements.push(`${statement.name} ${params.join(" ")}`);
      return pool.run(statement, params);
    },
  };
  const worker = new ScheduledVerification({
    blocks: new BlockChecker(2),
    database: counted,
    log: createLog({ service: "test", level: "error" }, { write: (line) => lines.push(line) }),
    metrics,
    intervalHours: 1,
    nowMs: () => (nowMs += 1_000),
  });
  const pass = () => worker.run(NEVER);
  await pass();
  await pass();
  statements.length = 0;
  const value = async (name: string, label = "") => {
    const text = (await registry.getSingleMetricAsString(name)).split("\n");
    return Number(
      text
        .find((line) => line.startsWith(name) && line.includes(label))
        ?.split(" ")
        .at(-1),
    );
  };
  return {
    pass,
    lines: () => lines.map((line) => JSON.parse(line)),
    checked: () => statements.filter((one) => one.startsWith("ledger.check-block")),
    /** The levels and bases of the segments of the filter index that were compared, some at a time. */
    compared: () =>
      statements.flatMap(
        (one) => /^ledger\.find-hidden-value \S+ (\d+ \d+) .* 1 *$/.exec(one)?.[1] ?? [],
      ),
    results: async () => ({
      valid: await value("annals_verifications_total", "valid"),
      invalid: await value("annals_verifications_total", '"invalid"'),
    }),
    oldest: () => value("annals_chain_verification_oldest_seconds"),
    unverified: () => value("annals_chains_unverified"),
  };
}

/** As if the interval of every chain were over, and so many hours more. */
async function letTimePass(hours = 0): Promise<void> {
  const rows = await database.query(
    `SELECT account_id, now() - $1::integer * interval '1 hour' AS due_at,
       verified_at - ($1::integer + 1) * interval '1 hour' AS verified_at FROM ledger.verifications`,
    [hours],
  );
  for (const row of rows)
    await database.query(
      `UPDATE ledger.verifications SET due_at = $2, verified_at = $3 WHERE account_id = $1`,
      [row["account_id"], row["due_at"], row["verified_at"]],
    );
}

const kept = async () =>
  (
    await database.query("SELECT sequence_number::int AS to, verified_at FROM ledger.verifications")
  )[0];

test("each chain once in an interval, from where the last one ended", async () => {
  await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 5), appendOf("acct_2", 1)] });
  const one = await newReplica();
  expect(await one.unverified()).toBe(2);
  await one.pass();
  expect(await one.results()).toStrictEqual({ valid: 2, invalid: 0 });
  expect(await one.unverified()).toBe(0);
  expect(one.checked()).toStrictEqual([
    "ledger.check-block acct_1 1 5",
    "ledger.check-block acct_2 1 1",
  ]);
  await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 3)] });
  await one.pass();
  expect(one.checked()).toHaveLength(2);
  await letTimePass();
  await one.pass();
  expect(one.checked().slice(2)).toStrictEqual([
    "ledger.check-block acct_1 5 8",
    "ledger.check-block acct_2 1 1",
  ]);
  expect(await one.oldest()).toBe(0);
  await letTimePass();
  await newReplica();
  const other = await newReplica();
  await Promise.all([one.pass(), other.pass()]);
  expect(one.checked().length + other.checked().length).toBe(6);
});

test("if the list cannot be read, the chains of the last one are verified, but for those that are away", async () => {
  await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 1), appendOf("acct_2", 1)] });
  let isAway = false;
  const one = await newReplica(
    (route, account) => isAway && (route === "all accounts, read" || account === ACCOUNT),
  );
  await one.pass();
  // This list says that nothing is due.
  await one.pass();
  await ledger.client.createEvents({ appends: [appendOf("acct_2", 1)] });
  await letTimePass();
  isAway = true;
  await expect(one.pass()).rejects.toThrow("away");
  expect(await one.results()).toStrictEqual({ valid: 3, invalid: 0 });
});

describe("a chain that is not valid is reported, and counts as verified when it was last valid", () => {
  test.each([
    [
      "a changed event",
      "UPDATE ledger.events SET metadata = '{\"a\":1}' WHERE sequence_number = 6",
    ],
    ["a removed tail", "DELETE FROM ledger.events WHERE sequence_number > 4"],
    [
      "another kept hash, as of a chain that was rewritten",
      "UPDATE ledger.verifications SET hash = 'a'",
    ],
    ["a head that went back", "UPDATE ledger.heads SET sequence_number = 3"],
    ["a head that was deleted", "DELETE FROM ledger.heads"],
    ["a head that went back to 0", "UPDATE ledger.heads SET sequence_number = 0"],
    [
      "a chain that was deleted with its head",
      "DELETE FROM ledger.heads; DELETE FROM ledger.events",
    ],
    [
      "a tail that was cut off as far as it was verified, with the head, but not the tree",
      `DELETE FROM ledger.events WHERE sequence_number > 5;
       UPDATE ledger.heads SET sequence_number = 5, hash = events.hash
       FROM ledger.events WHERE events.sequence_number = 5;
       INSERT INTO ledger.trees (account_id, size, root, bucket, frontier)
       SELECT account_id, 8, hash, 0, hash FROM ledger.heads`,
    ],
  ])("%s", async (_, change) => {
    await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 5)] });
    const one = await newReplica();
    await one.pass();
    await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 3)] });
    await database.query(change);
    await letTimePass();
    const before = await kept();
    await one.pass();
    expect(await one.results()).toStrictEqual({ valid: 1, invalid: 1 });
    expect(one.lines()).toMatchObject([{ msg: "a chain is not valid", account_id: ACCOUNT }]);
    expect(await kept()).toStrictEqual(before);
    expect(await one.oldest()).toBeGreaterThanOrEqual(3_600);
  });
});

describe("the filter index", () => {
  const appendChunks = (count: number) =>
    appendAll(
      ledger,
      ACCOUNT,
      Array.from({ length: count * CHUNK_SIZE }, (_, index) => ({
        action: index % 100 === 99 ? "rare" : "common",
        occurredAt: timeOf(index),
      })),
    );
  const hide = () =>
    changeEntry(database, ACCOUNT, { field: 1, key: "rare", base: CHUNK_SIZE }, (places) =>
      places.slice(1),
    );
  const FRESH = ["0 0", "0 4096", "0 8192"];

  test("is compared whenever it was made, and again where it was made anew", async () => {
    await appendChunks(1);
    const one = await newReplica();
    await one.pass();
    expect(one.compared()).toStrictEqual([]);
    await indexAll(ledger.database);
    await appendChunks(2);
    await indexAll(ledger.database);
    await letTimePass();
    await one.pass();
    expect(one.compared().toSorted()).toStrictEqual(FRESH);
    // Not due: it sees that the load is low again.
    await one.pass();
    expect(one.compared()).toHaveLength(3);
    await database.query("DELETE FROM ledger.segments; DELETE FROM ledger.blocks");
    await letTimePass();
    await one.pass();
    expect(one.compared()).toHaveLength(3);
    await indexAll(ledger.database);
    await letTimePass();
    await one.pass();
    expect(one.compared().slice(3).toSorted()).toStrictEqual(FRESH);
    expect(await one.results()).toStrictEqual({ valid: 4, invalid: 0 });
  });

  test("is compared once where it is sealed, and each time where it will be stored anew", async () => {
    await appendChunks(17);
    await indexAll(ledger.database);
    const one = await newReplica();
    for (let passes = 0; passes < 3; passes += 1) {
      await one.pass();
      await letTimePass();
    }
    const [first, second, ...later] = one.compared();
    expect(new Set([first, second])).toStrictEqual(new Set(["0 65536", "1 0"]));
    expect(later).toStrictEqual(["0 65536", "0 65536"]);
  });

  test("that hides an event is reported each time, and keeps its chain from counting as verified", async () => {
    await appendChunks(2);
    await indexAll(ledger.database);
    await hide();
    const one = await newReplica();
    for (const passes of [1, 2]) {
      await one.pass();
      await letTimePass();
      expect(await one.results()).toStrictEqual({ valid: 0, invalid: passes });
    }
    const sequenceNumber = CHUNK_SIZE + 4;
    const index = { level: 0, base: CHUNK_SIZE, differs: "field 1" };
    const hidden = { sequenceNumber, reason: "digest_mismatch", index };
    const line = { account_id: ACCOUNT, first_invalid: hidden };
    expect(one.lines()).toMatchObject([line, line]);
    expect(await kept()).toMatchObject({ to: 0, verified_at: null });
  });
});

test("it waits for low load, and not beyond another interval", async () => {
  const append = () => ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 900)] });
  await append();
  const one = await newReplica();
  await append();
  const validAfterPass = async () => {
    await one.pass();
    return (await one.results()).valid;
  };
  expect(await validAfterPass()).toBe(1);
  await append();
  await letTimePass();
  expect(await validAfterPass()).toBe(1);
  await letTimePass(2);
  expect(await validAfterPass()).toBe(2);
  await letTimePass();
  expect(await validAfterPass()).toBe(3);
});
