// Guarantee: the scan reads only webhooks that may have pending deliveries, and finds every pending delivery:
// no queue is closed while deliveries are stored in it, and none are stored in a closed one.

import { eventually, ON_ONE_SERVER } from "@annals/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Metrics } from "../../metrics.ts";
import { testWebhook } from "../../webhooks/rpc/test-webhook.ts";
import { intercepted, newService } from "../../testing/dispatcher.ts";
import { cleanUp } from "../worker/clean-up.ts";
import { findDueWebhooks } from "./find-due-webhooks.ts";
import { DATABASE_CLOCK } from "../../store/moment.ts";

async function begin() {
  const { database, handlers, replica, subscribed } = await newService();
  const { accountId, webhook } = await subscribed();
  const send = () => handlers.ask(testWebhook, { accountId, webhookId: webhook.id });
  const pool = database.pool();
  const given = { database: pool, now: () => DATABASE_CLOCK, retentionDays: 30 };
  const scanned = () => pool.run(findDueWebhooks, [DATABASE_CLOCK, "", "", 10]);
  return {
    accountId,
    clean: () => cleanUp(given),
    database,
    pool,
    replica,
    scanned,
    send,
    webhook,
  };
}

/** A fan-out that has stored its deliveries and does not commit before it is told to. */
async function fanningOut({ accountId, pool, replica }: Awaited<ReturnType<typeof begin>>) {
  const stored = Promise.withResolvers<void>();
  const commits = Promise.withResolvers<void>();
  onTestFinished(() => commits.resolve());
  const slow = intercepted(pool, {
    transaction: (work) =>
      pool.transaction(async (transaction) => {
        const result = await work(transaction);
        stored.resolve();
        await commits.promise;
        return result;
      }),
  });
  const { metrics, produce } = replica(slow);
  const producing = produce(accountId);
  await stored.promise;
  return { commit: commits.resolve, metrics, producing };
}

const failuresOf = async (metrics: Metrics) =>
  (await metrics.failures.get()).values.filter(({ value }) => value > 0);

test("a webhook is scanned until its deliveries are done, and again with the next one", async () => {
  const { accountId, clean, replica, scanned, webhook } = await begin();
  const [a, b] = [replica(), replica()];
  b.sender.answer = () => 200;
  const row = { account_id: accountId, webhook_id: webhook.id };
  await a.produce(accountId);
  await clean();
  expect(await scanned()).toMatchObject([row]);
  await b.engine.round();
  await b.engine.settled();
  expect(await scanned()).toEqual([{ ...row, due_at: null }]);
  await clean();
  expect(await scanned()).toEqual([]);
  await a.produce(accountId);
  expect(await scanned()).toMatchObject([row]);
  await b.engine.round();
  await b.engine.settled();
  expect(b.sender.attempts.length).toBe(2);
});

test.runIf(ON_ONE_SERVER)(
  "the clean-up waits for a fan-out, and then leaves the queue open",
  async () => {
    const begun = await begin();
    const { clean, database, scanned, webhook } = begun;
    const { commit, producing } = await fanningOut(begun);
    const cleaning = clean();
    const waits =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await eventually("the clean-up waits", async () => (await database.query(waits)).length > 0);
    commit();
    await Promise.all([producing, cleaning]);
    const [row] = await scanned();
    expect(row).toMatchObject({ webhook_id: webhook.id, due_at: expect.any(String) });
  },
);

test("a test delivery and a fan-out do not wait for each other", async () => {
  const begun = await begin();
  const { database, send } = begun;
  const { commit, metrics, producing } = await fanningOut(begun);
  await send();
  const count = "SELECT FROM webhooks.deliveries";
  expect((await database.query(count)).length).toBe(1);
  commit();
  await producing;
  expect((await database.query(count)).length).toBe(2);
  // PostgreSQL has not ended the transaction of the fan-out for its length.
  expect(await failuresOf(metrics)).toEqual([]);
});

test("a test delivery opens a closed queue", async () => {
  const { clean, scanned, send, webhook } = await begin();
  await clean();
  expect(await scanned()).toEqual([]);
  await send();
  expect(await scanned()).toMatchObject([{ webhook_id: webhook.id, due_at: expect.any(String) }]);
});

test("a fan-out that finds a queue closed meanwhile stores nothing, and tries again: that is no failure", async () => {
  const { accountId, database, pool, replica, scanned } = await begin();
  let closed = 0;
  const closing = intercepted(pool, {
    run: async (statement, params) => {
      const rows = await pool.run(statement, params);
      if (statement.name === "webhooks.read-cursor" && (closed += 1) === 1) {
        await database.query("UPDATE webhooks.webhooks SET is_drained = true");
      }
      return rows;
    },
  });
  const { metrics, produce } = replica(closing);
  await produce(accountId);
  expect(await failuresOf(metrics)).toEqual([]);
  expect(closed).toBe(2);
  expect((await database.query("SELECT FROM webhooks.deliveries")).length).toBe(1);
  expect(await scanned()).toMatchObject([{ due_at: expect.any(String) }]);
});
