// Guarantee: what an account causes in a day is counted exactly, whatever runs at the same time or is rolled
// back. A day begins at zero, once. A clock that was wrong has no effect after it is right again.

import { createMigratedDatabase, PATIENT, type TestDatabase } from "@annals/testing";
import { createLog } from "@annals/chassis";
import type { AnnalsError } from "@annals/errors";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { countDailyUse, dailyUse } from "./daily-use.ts";
import { createPool, type Pool } from "./pool.ts";
import type { Database } from "./statement.ts";

const USE = dailyUse("exports");
const LIMIT = 10;

let owner: TestDatabase;
let pool: Pool;
let accountId: string;
let accounts = 0;

beforeAll(async () => {
  owner = await createMigratedDatabase(inject("stack").databaseUrl);
  pool = createPool({
    connectionString: owner.url,
    role: "annals_exports",
    applicationName: "annals-test",
    maxConnections: 5,
    ...PATIENT,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
  });
});
afterAll(async () => {
  await pool?.close();
  await owner?.drop();
});
beforeEach(() => {
  accountId = `acct_${(accounts += 1)}`;
});

const count = (amount: number, database: Database = pool, limit = LIMIT) =>
  countDailyUse(database, USE, { accountId, amount, limit, what: "exported events" });
const used = async () => (await pool.run(USE.get, [accountId]))[0]?.used;
const moveDay = (days: number) =>
  owner.query("UPDATE exports.daily_uses SET day = day + $2::integer WHERE account_id = $1", [
    accountId,
    days,
  ]);

test("the one that passes the limit is the last, and is counted completely", async () => {
  expect(await used()).toBeUndefined();
  await count(9);
  await count(50);
  expect(await used()).toBe("59");
  const refused: unknown = await count(1).catch((error: unknown) => error);
  const message = /allows 10 exported events per day \(UTC\), and this account has had 59/;
  expect(refused).toMatchObject({
    kind: "plan_quota_exceeded",
    message: expect.stringMatching(message),
  });
  const { retryAfterS } = refused as AnnalsError;
  expect(retryAfterS).toBeGreaterThan(0);
  expect(retryAfterS).toBeLessThanOrEqual(86_400);
  expect(await used()).toBe("59");
  // Another plan applies at once.
  await count(1, pool, 100);
  const other = { accountId: "acct_other", amount: 1, limit: LIMIT, what: "exported events" };
  await countDailyUse(pool, USE, other);
});

test("at the limit exactly the next is refused, and with a limit of 0 each", async () => {
  await count(LIMIT);
  await expect(count(1)).rejects.toMatchObject({ kind: "plan_quota_exceeded" });
  await expect(count(1, pool, 0)).rejects.toMatchObject({ kind: "plan_count_exceeded" });
});

test("what is rolled back is not counted", async () => {
  const failed = pool.transaction(async (transaction) => {
    await count(3, transaction);
    throw new Error("after it was counted");
  });
  await expect(failed).rejects.toThrow("after it was counted");
  expect(await used()).toBeUndefined();
});

test("of many at the same time those pass that the limit lets pass", async () => {
  const all = await Promise.allSettled(Array.from({ length: 30 }, () => count(1)));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(LIMIT);
  expect(await used()).toBe(String(LIMIT));
});

test.each([
  ["the day before", -1, "4"],
  ["a day long ago", -400, "4"],
  ["a clock that was far ahead", 400, "4"],
  // A server whose clock is a second behind, at midnight.
  ["a clock that is just ahead", 1, "14"],
])("what was counted on %s", async (_, days, now) => {
  await count(LIMIT);
  await moveDay(days);
  if (days === 1) await expect(count(1)).rejects.toMatchObject({ kind: "plan_quota_exceeded" });
  await count(4, pool, 100);
  expect(await used()).toBe(now);
});
