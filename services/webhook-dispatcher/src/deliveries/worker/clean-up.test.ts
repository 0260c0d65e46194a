// Guarantee: a webhook on which the clean-up fails keeps no other, and the run fails, so that it is repeated.
// A record is deleted once it and all before it are older than the retention, and none while the clock is
// wrong. A piece has its size, and two clean-ups share the work.

import type { Database } from "@annals/postgres";
import { createLog, createRegistry } from "@annals/chassis";
import { expect, onTestFinished, test } from "vitest";
import { deleteFinished, deleteUnattempted, settleAttempted } from "../store/clean-up.ts";
import { DATABASE_CLOCK } from "../../store/moment.ts";
import { FakeTime, intercepted, newService } from "../../testing/dispatcher.ts";
import { createMetrics } from "../../metrics.ts";
import { cleanUp, startCleanUp } from "./clean-up.ts";

test("a webhook that cannot be removed keeps no other", async () => {
  const { database, handlers, subscribed } = await newService();
  const owners = await Promise.all(Array.from({ length: 3 }, () => subscribed()));
  for (const { accountId, webhook } of owners) await handlers.delete(accountId, webhook.id);
  const ids = owners.map(({ webhook }) => webhook.id);
  const pool = database.pool();
  const left = async () => {
    const rows = await database.query<{ id: string }>("SELECT id FROM webhooks.webhooks");
    return rows.map(({ id }) => id);
  };
  // The server of the first account is away.
  const [first] = owners.map(({ accountId }) => accountId).toSorted();
  const lost = owners.find(({ accountId }) => accountId === first)?.webhook.id;
  const failing = intercepted(pool, {
    run: (statement, params) => {
      const isList = statement.name.startsWith("webhooks.list-");
      if (!isList && params[0] === first) return Promise.reject(new Error("away"));
      return pool.run(statement, params);
    },
  });
  const given = { now: () => DATABASE_CLOCK, retentionDays: 30 };
  expect((await left()).toSorted()).toEqual(ids.toSorted());
  await expect(cleanUp({ ...given, database: failing })).rejects.toThrow("away");
  expect(await left()).toEqual([lost]);
  await cleanUp({ ...given, database: pool });
  expect(await left()).toEqual([]);
});

/** A webhook with so many deliveries, of which the first had its last attempt a day after the others. */
async function stored(count: number, { attempts = 1, isPending = false } = {}) {
  const time = new FakeTime();
  const { database, subscribed } = await newService();
  const { accountId, webhook } = await subscribed();
  await database.query(`INSERT INTO webhooks.deliveries
    (account_id, webhook_id, id, payload_id, event, bytes, created_at, attempts, attempted_at, due_at)
    SELECT '${accountId}', '${webhook.id}', 'd' || n, 'p' || n, 'event.created', 1, '${time.text()}', ${attempts},
      '${time.text()}'::timestamptz + CASE WHEN n = 1 THEN interval '1 day' ELSE '0' END,
      CASE WHEN ${isPending} THEN '${time.text()}'::timestamptz END
    FROM generate_series(1, ${count}) AS n ORDER BY n`);
  return { accountId, database, time, webhook };
}

test("a record waits for one before it that ended later, and then all go in one run", async () => {
  const { database, time } = await stored(2_500);
  const given = { database: database.pool(), now: time.now, retentionDays: 30 };
  const left = () => database.query("SELECT FROM webhooks.deliveries");
  time.advance(31 * 86_400);
  await cleanUp(given);
  expect(await left()).toHaveLength(2_500);
  time.advance(1);
  await cleanUp(given);
  expect(await left()).toHaveLength(0);
});

test("nothing is deleted while the clock is wrong, and all that is due as soon as it is right", async () => {
  const { database, time } = await stored(1);
  time.advance(32 * 86_400);
  const pool = database.pool();
  const begun = Promise.withResolvers<string>();
  const observed = intercepted(pool, {
    run: (statement, params) => {
      begun.resolve(statement.name);
      return pool.run(statement, params);
    },
  });
  let fault: string | undefined = "a month ahead";
  const clock = { fault: () => fault, nowMicros: () => 0, nowText: () => "" };
  const metrics = createMetrics(createRegistry("test"));
  const log = createLog(
    { service: "test", level: "warn" },
    { write: (line) => begun.resolve(line) },
  );
  const given = { clock, database: observed, log, metrics, now: time.now, retentionDays: 30 };
  const loop = startCleanUp(given);
  onTestFinished(() => loop.stop());
  expect(await begun.promise).toContain("a month ahead");
  fault = undefined;
  await expect
    .poll(async () => (await database.query("SELECT FROM webhooks.deliveries")).length)
    .toBe(0);
});

type Which = readonly [accountId: string, webhookId: string, limit: number];

test.each([
  [
    "finished",
    { attempts: 1, isPending: false },
    (of: Database, which: Which, now: string) => of.run(deleteFinished, [...which, now, 30]),
  ],
  [
    "unattempted",
    { attempts: 0, isPending: true },
    (of: Database, which: Which, now: string) => of.run(deleteUnattempted, [...which, "5", now]),
  ],
  [
    "attempted",
    { attempts: 1, isPending: true },
    (of: Database, which: Which, now: string) => of.run(settleAttempted, [...which, "5", now]),
  ],
])("%s: a piece has its size, and another clean-up skips it", async (_name, given, work) => {
  const { accountId, database, time, webhook } = await stored(5, given);
  time.advance(40 * 86_400);
  const pool = database.pool();
  const piece = (of: Database) => work(of, [accountId, webhook.id, 2], time.text());
  await pool.transaction(async (transaction) => {
    expect(await piece(transaction)).toHaveLength(2);
    expect(await piece(pool)).toHaveLength(2);
    expect(await piece(pool)).toHaveLength(1);
  });
});
