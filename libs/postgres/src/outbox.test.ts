// Guarantees of an outbox: positions have no gap and are given once, however many add at the same time; an
// entry that no reader has passed is not deleted within its month, one that a reader has passed is deleted
// after a week, and the last entry of an account is never deleted. Nothing is while the clock is wrong.

import { AccountRun, createLog } from "@annals/chassis";
import { lostServer, PATIENT } from "@annals/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { outbox, startOutboxPruner } from "./outbox.ts";
import type { Database } from "./statement.ts";
import { newDatabase, openPool } from "./testing/test-server.ts";

const OUTBOX = outbox("shop");
const ACCOUNT = "acct_1";

// As the migrations of the services make them.
const TABLES = `
  CREATE SCHEMA shop;
  CREATE TABLE shop.outbox (account_id text COLLATE "C", position bigint CHECK (position > 0), event_name text,
    data text, created_at text COLLATE "C", PRIMARY KEY (account_id, position));
  CREATE TABLE shop.outbox_heads (account_id text COLLATE "C" PRIMARY KEY, position bigint NOT NULL)`;

const timeDaysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().replace("Z", "000Z");

async function newOutbox() {
  const owner = await newDatabase();
  await owner.query(TABLES);
  // Transactions that wait for each other must not time out on a busy machine.
  const database = openPool(owner.url, { maxConnections: 4, ...PATIENT });
  return {
    owner,
    database,
    /** Adds entries that are as many days old, in order. */
    add: async (accountId: string, ...daysOld: readonly number[]) => {
      for (const days of daysOld) {
        const entry = { accountId, eventName: "sold", data: "{}", createdAt: timeDaysAgo(days) };
        await database.transaction((transaction) => OUTBOX.add(transaction, entry));
      }
    },
    positionsOf: async (accountId: string) => {
      const rows = await owner.query<{ position: string }>(
        "SELECT position FROM shop.outbox WHERE account_id = $1 ORDER BY position",
        [accountId],
      );
      return rows.map(({ position }) => Number(position));
    },
    list: (accountId: string, afterPosition: number, limit = 100, fault?: string) =>
      OUTBOX.list(
        database,
        { accountId, afterPosition: BigInt(afterPosition), limit },
        { fault: () => fault },
      ),
  };
}

test("connections that add to one account at the same time give gapless positions, visible in their order", async () => {
  const { owner, database, list } = await newOutbox();
  const other = openPool(owner.url, { maxConnections: 4, ...PATIENT });
  const entry = { accountId: ACCOUNT, eventName: "sold", data: "{}", createdAt: timeDaysAgo(0) };
  let finished = false;
  const adding = Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const pool = index % 2 ? database : other;
      // A transaction that does more than add, and every fifth of which rolls back.
      return pool
        .transaction(async (transaction) => {
          const position = await OUTBOX.add(transaction, entry);
          if (index % 5 === 0) throw new Error("rolled back");
          return position;
        })
        .catch(() => undefined);
    }),
  ).finally(() => (finished = true));
  const seen: bigint[] = [];
  for (let last = false; !last;) {
    last = finished;
    const entries = await list(ACCOUNT, Number(seen.at(-1) ?? 0), 1_000);
    seen.push(...entries.map(({ position }) => position));
  }
  const given = (await adding).filter((position) => position !== undefined);
  const expected = Array.from({ length: 80 }, (_, index) => BigInt(index + 1));
  expect(given.toSorted((a, b) => Number(a - b))).toStrictEqual(expected);
  expect(seen).toStrictEqual(expected);
});

test("entries are listed after a position, and positions in the order asked", async () => {
  const { database, add, list } = await newOutbox();
  await add(ACCOUNT, 0, 0, 0);
  await add("acct_2", 0);
  expect(await list(ACCOUNT, 1, 1)).toMatchObject([
    { position: 2n, eventName: "sold", data: "{}" },
  ]);
  const positions = await OUTBOX.positions(database, ["acct_2", "acct_none", ACCOUNT, "acct_2"]);
  expect(positions).toStrictEqual([1n, 0n, 3n, 1n]);
});

test("the position of an account whose server is away is 0, and others have theirs", async () => {
  const { database, add } = await newOutbox();
  await add(ACCOUNT, 0, 0);
  await add("acct_2", 0);
  const run = lostServer<Database["run"]>((...given) => database.run(...given), new Set([ACCOUNT]));
  expect(await OUTBOX.positions({ run }, ["acct_2", ACCOUNT])).toStrictEqual([1n, 0n]);
});

describe("what a reader has passed", () => {
  test("is deleted once it is a week old, and nothing after its cursor is", async () => {
    const { add, list, positionsOf } = await newOutbox();
    await add(ACCOUNT, 20, 20, 20, 20);
    await add("acct_2", 20, 20);
    expect(await list(ACCOUNT, 2)).toMatchObject([{ position: 3n }, { position: 4n }]);
    expect(await positionsOf(ACCOUNT)).toStrictEqual([3, 4]);
    expect(await positionsOf("acct_2")).toStrictEqual([1, 2]);
  });

  test("is kept for a week: the reader may ask for it again", async () => {
    const { add, list, positionsOf } = await newOutbox();
    await add(ACCOUNT, 8, 6, 0, 0);
    await list(ACCOUNT, 3);
    expect(await positionsOf(ACCOUNT)).toStrictEqual([2, 3, 4]);
    expect(await list(ACCOUNT, 1)).toHaveLength(3);
  });

  test("is deleted but for the last entry, and the next position follows it", async () => {
    const { database, add, list, positionsOf } = await newOutbox();
    await add(ACCOUNT, 20, 20, 20);
    await list(ACCOUNT, 3);
    expect(await positionsOf(ACCOUNT)).toStrictEqual([3]);
    expect(await OUTBOX.positions(database, [ACCOUNT])).toStrictEqual([3n]);
    await add(ACCOUNT, 0);
    expect(await positionsOf(ACCOUNT)).toStrictEqual([3, 4]);
  });
});

describe("what no reader has passed", () => {
  test("is kept for a month, also where a reader asks from the beginning", async () => {
    const { database, add, list, positionsOf } = await newOutbox();
    await add(ACCOUNT, 29, 29, 29);
    await list(ACCOUNT, 0);
    await OUTBOX.prune(database, new AccountRun());
    expect(await positionsOf(ACCOUNT)).toStrictEqual([1, 2, 3]);
  });

  test("is deleted after a month but for the last entry, in all accounts, however many there are", async () => {
    const { owner, database, add, positionsOf } = await newOutbox();
    await owner.query(
      `INSERT INTO shop.outbox_heads SELECT 'acct_' || n, 1 FROM generate_series(1000, 2999) AS n`,
    );
    await owner.query(
      `INSERT INTO shop.outbox SELECT 'acct_z', n, 'sold', '{}', '2020-01-01T00:00:00.000000Z'
       FROM generate_series(1, 2500) AS n`,
    );
    await owner.query("INSERT INTO shop.outbox_heads VALUES ('acct_z', 2500)");
    await add(ACCOUNT, 40, 31, 29, 0);
    await OUTBOX.prune(database, new AccountRun());
    expect(await positionsOf(ACCOUNT)).toStrictEqual([3, 4]);
    expect(await positionsOf("acct_z")).toStrictEqual([2_500]);
  });
});

test("nothing is deleted while the clock is wrong: neither what was read, nor what is a month old", async () => {
  const { add, database, list, positionsOf } = await newOutbox();
  await add(ACCOUNT, 40, 40, 0);
  const clock = { fault: (): string | undefined => "a month ahead" };
  const swept = { inc: () => {} };
  const failed = Promise.withResolvers<void>();
  const failures = { inc: (_: unknown, by = 1) => void (by > 0 && failed.resolve()) };
  const log = createLog({ service: "test", level: "error" });
  const pruned = Promise.withResolvers<void>();
  const prune: typeof OUTBOX.prune = async (...given) => {
    const deleted = await OUTBOX.prune(...given);
    pruned.resolve();
    return deleted;
  };
  const loop = startOutboxPruner({ prune }, { clock, database, failures, log, swept });
  onTestFinished(() => loop.stop());
  await Promise.race([failed.promise, pruned.promise]);
  expect(await list(ACCOUNT, 2, 100, "a month ahead")).toMatchObject([{ position: 3n }]);
  expect(await positionsOf(ACCOUNT)).toEqual([1, 2, 3]);
  // It does so as soon as the clock is right.
  clock.fault = () => undefined;
  await pruned.promise;
  expect(await positionsOf(ACCOUNT)).toEqual([3]);
});

test("an account whose entries cannot be deleted keeps no other", async () => {
  const { database, add, positionsOf } = await newOutbox();
  await add("acct_a", 40, 0);
  await add("acct_b", 40, 0);
  const run: typeof database.run = (statement, params) =>
    params[0] === "acct_a"
      ? Promise.reject(new Error("a server is away"))
      : database.run(statement, params);
  const accounts = new AccountRun();
  expect(await OUTBOX.prune({ run }, accounts)).toBe(1);
  expect(() => accounts.end()).toThrow("away");
  expect([await positionsOf("acct_a"), await positionsOf("acct_b")]).toEqual([[1, 2], [2]]);
});

test.each([
  ["no account", { accountId: "", afterPosition: 0n, limit: 1 }, "account_id"],
  ["no limit", { accountId: ACCOUNT, afterPosition: 0n, limit: 0 }, "limit"],
  ["a limit too high", { accountId: ACCOUNT, afterPosition: 0n, limit: 1_001 }, "limit"],
])("a list with %s is refused", async (_, request, field) => {
  const { database } = await newOutbox();
  await expect(OUTBOX.list(database, request, {})).rejects.toThrow(field);
});
