// Guarantee: idempotency keys of every account are deleted once they are as old as the setting says, however
// many there are, and no younger one is. None is while the clock is wrong. A key that an append holds makes
// nothing wait.

import { AccountRun, AccountWork, createLog } from "@annals/chassis";
import { type Pool, statement } from "@annals/postgres";
import { lostServer, type TestDatabase } from "@annals/testing";
import { beforeEach, expect, test } from "vitest";
import { listExpiredIdempotencyKeys } from "../store/list-expired-idempotency-keys.ts";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import { BATCH, sweepIdempotencyKeys } from "./idempotency-sweep.ts";

const HOURS = 36;
const LIFE_S = HOURS * 3_600;

let owner: TestDatabase;
let database: Pool;
let deleted = 0;

beforeEach(async () => {
  owner = await newLedgerDatabase();
  database = openPool(owner.url);
  deleted = 0;
});

/** Stores so many keys of an account, of an age. */
const insert = (accountId: string, ageS: number, count = 1, name = "key") =>
  owner.query(
    `INSERT INTO ledger.idempotency_keys
     SELECT $1, $4 || n, sha256(''), 1, 1, now() - $2::integer * interval '1 second'
     FROM generate_series(1, $3) AS n`,
    [accountId, ageS, count, name],
  );

const swept = { inc: (_: unknown, by = 1): void => void (deleted += by) };
const sweep = (fault?: string) =>
  sweepIdempotencyKeys(
    { clock: { fault: () => fault }, database, idempotencyHours: HOURS, swept },
    new AccountRun(),
  );

const left = async () =>
  (await owner.query("SELECT account_id FROM ledger.idempotency_keys ORDER BY 1")).map(
    (row) => row["account_id"],
  );

test("keys of every account are deleted after their hours, however many there are", async () => {
  await insert("acct_1", LIFE_S, 2 * BATCH);
  await insert("acct_2", LIFE_S + 60);
  await insert("acct_3", LIFE_S - 60);
  await insert("acct_1", LIFE_S - 60, 1, "young");
  await sweep();
  expect(await left()).toEqual(["acct_1", "acct_3"]);
  expect(deleted).toBe(2 * BATCH + 1);
});

test("none is deleted while the clock is wrong", async () => {
  await insert("acct_1", LIFE_S);
  await expect(sweep("a day ahead")).rejects.toThrow("a day ahead");
  expect(await left()).toEqual(["acct_1"]);
  await sweep();
  expect(await left()).toEqual([]);
});

test("a key that an append holds is left, and makes nothing wait", async () => {
  await insert("acct_1", LIFE_S);
  await insert("acct_2", LIFE_S);
  const hold = statement<[], object>(
    "/* test.hold */ SELECT FROM ledger.idempotency_keys WHERE account_id = 'acct_1' FOR UPDATE",
    { route: "local" },
  );
  await database.transaction(async (transaction) => {
    await transaction.run(hold, []);
    await sweep();
    expect(await left()).toEqual(["acct_1"]);
  });
  await sweep();
  expect(await left()).toEqual([]);
});

test("while a server is away, the keys of its accounts stay, and those of others are deleted", async () => {
  for (const accountId of ["acct_1", "acct_2", "acct_3"]) await insert(accountId, LIFE_S);
  const work = new AccountWork(createLog({ service: "test", level: "error" }), "test");
  const lost = new Set<string>();
  const run = lostServer<Pool["run"]>((...given) => database.run(...given), lost);
  const sweepApart = () =>
    sweepIdempotencyKeys(
      { clock: {}, database: { run }, idempotencyHours: HOURS, swept },
      work.begin(),
    );
  await sweepApart();
  expect(await left()).toEqual([]);
  for (const accountId of ["acct_1", "acct_2", "acct_3"]) await insert(accountId, LIFE_S);
  const list = work.begin();
  await list.list("", () => database.run(listExpiredIdempotencyKeys, [BATCH, HOURS]));
  lost.add("acct_2");
  await expect(sweepApart()).rejects.toThrow("a server is away");
  expect(await left()).toEqual(["acct_2"]);
});
