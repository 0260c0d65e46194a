// Guarantee: after the response to disabling or deleting a webhook no attempt begins on any replica; queued
// deliveries are dropped, attempted ones stay in the history until the retention ends, and a deleted webhook
// leaves nothing.

import { eventually } from "@annals/testing";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { DATABASE_CLOCK } from "../../store/moment.ts";
import { FakeTime, newAccountId, newService, intercepted } from "../../testing/dispatcher.ts";
import { cleanUp } from "./clean-up.ts";
import { START_WINDOW_MS } from "./attempts.ts";

describe("disabling", () => {
  test.each(["delete", "update"] as const)(
    "after the response to %s no attempt begins",
    async (verb) => {
      const { handlers, replica } = await newService();
      const [a, b] = [replica(), replica()];
      onTestFinished(async () => {
        await Promise.all([a.engine.stop(0), b.engine.stop(0)]);
      });
      for (const one of [a, b]) {
        one.sender.answer = () => 200;
        one.engine.start();
      }
      const disable = async (round: number): Promise<void> => {
        const accountId = newAccountId();
        const { webhook } = await handlers.create(accountId, {
          url: `https://r${round}.example.com/`,
        });
        await a.produce(accountId, 500);
        b.engine.notify(accountId, [webhook.id]);
        await pause(randomInt(20));
        if (verb === "delete") await handlers.delete(accountId, webhook.id);
        else await handlers.update(accountId, webhook.id, { active: false });
        const sent = () =>
          [a, b]
            .flatMap(({ sender }) => sender.attempts)
            .filter(({ url }) => url.includes(`//r${round}.`)).length;
        const before = sent();
        await pause(100);
        expect(sent()).toBe(before);
      };
      // Each response waits for the time in which an attempt may begin.
      await Promise.all([0, 1, 2, 3].map(disable));
    },
  );

  test("the response waits for the attempt of a claim that PostgreSQL answered before", async () => {
    const { database, handlers, replica, subscribed } = await newService();
    const pool = database.pool();
    const claimed = Promise.withResolvers<void>();
    const a = replica(
      intercepted(pool, {
        run: async (statement, params) => {
          const rows = await pool.run(statement, params);
          if (statement.name !== "webhooks.claim-deliveries") return rows;
          claimed.resolve();
          await pause(START_WINDOW_MS / 2);
          return rows;
        },
      }),
    );
    const { accountId, webhook } = await subscribed();
    await a.produce(accountId);
    const round = a.engine.round();
    await claimed.promise;
    await handlers.delete(accountId, webhook.id);
    const begunAtResponse = a.sender.attempts.length;
    await round;
    await pause(START_WINDOW_MS);
    expect([begunAtResponse, a.sender.attempts.length]).toEqual([1, 1]);
    a.sender.attempts[0]?.end({});
  });

  test("enabled again, it receives nothing from before", async () => {
    const { database, handlers, replica, subscribed } = await newService();
    const a = replica();
    a.sender.answer = () => 500;
    const { accountId, webhook } = await subscribed();
    await a.produce(accountId);
    await a.engine.round();
    await a.engine.settled();
    await a.produce(accountId);
    await handlers.update(accountId, webhook.id, { active: false });
    await a.produce(accountId);
    const [record] = await handlers.deliveries(accountId, webhook.id);
    expect(record).toMatchObject({ attempts: 1 });
    expect(record).not.toHaveProperty("nextRetryAt");
    await handlers.update(accountId, webhook.id, { active: true });
    await a.produce(accountId);
    // Another replica may have enabled it: this one asks again within a moment.
    await eventually("it is delivered", async () => {
      await a.engine.round();
      return a.sender.attempts.length > 1;
    });
    const sequence = (index: number) =>
      JSON.parse(String(a.sender.attempts.at(index)?.body)).data.sequence_number;
    expect(a.sender.attempts.length).toBe(2);
    expect([sequence(0), sequence(1)]).toEqual([1, 4]);
    await a.engine.settled();
    // The clean-up keeps attempted deliveries in the history, without a next attempt.
    await cleanUp({ database: database.pool(), now: () => DATABASE_CLOCK, retentionDays: 30 });
    expect(await handlers.deliveries(accountId, webhook.id)).toHaveLength(2);
    const [left] = await database.query<{ n: string }>(
      "SELECT count(*) AS n FROM webhooks.deliveries",
    );
    expect(left).toEqual({ n: "2" });
  });

  test("a deleted webhook leaves nothing behind", async () => {
    const { database, handlers, replica, subscribed } = await newService();
    const { accountId, webhook } = await subscribed();
    await replica().produce(accountId, 2_500);
    await handlers.delete(accountId, webhook.id);
    const [row] = await database.query(
      "SELECT secret_sealed, secret_key_id FROM webhooks.webhooks",
    );
    expect(row).toEqual({ secret_sealed: null, secret_key_id: null });
    await cleanUp({ database: database.pool(), now: () => DATABASE_CLOCK, retentionDays: 30 });
    const left =
      "SELECT (SELECT count(*) FROM webhooks.webhooks) + (SELECT count(*) FROM webhooks.deliveries) AS n";
    expect(await database.query(left)).toEqual([{ n: "0" }]);
  });

  test("records are kept for the retention, and no longer", async () => {
    const time = new FakeTime();
    const { database, handlers, replica, subscribed } = await newService({
      now: time.now,
      retryDelaysS: [1],
    });
    const a = replica();
    const { accountId, webhook } = await subscribed();
    a.sender.answer = () => 200;
    for (let day = 0; day < 3; day++) {
      await a.produce(accountId, 2);
      await a.engine.round();
      await a.engine.settled();
      time.advance(86_400);
    }
    await cleanUp({ database: database.pool(), now: time.now, retentionDays: 2 });
    expect(await handlers.deliveries(accountId, webhook.id)).toHaveLength(4);
  });
});
