// Guarantee: when a webhook is switched off or deleted and that is answered, no attempt begins any more, on
// any replica; what was queued is dropped, what was attempted stays in the history for its days, and a
// deleted webhook leaves nothing.

import { eventually } from "@annals/testing";
import { randomInt } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  FakeProducers,
  FakeTime,
  newAccountId,
  newDatabase,
  newHandlers,
  newReplica,
  type ReplicaOptions,
} from "../testing/dispatcher.ts";
import { cleanUp } from "./clean-up.ts";
import { START_WINDOW_MS } from "./attempts.ts";

async function begin(options: Omit<ReplicaOptions, "producers"> = {}) {
  const database = await newDatabase();
  const producers = new FakeProducers();
  const handlers = newHandlers(database.pool(), producers);
  const replica = () => newReplica(database.pool(), { ...options, producers });
  return { database, handlers, producers, replica };
}

describe("switching off", () => {
  test.each(["delete", "update"] as const)("when %s is answered, nothing begins", async (verb) => {
    const { handlers, replica } = await begin();
    const [a, b] = [replica(), replica()];
    onTestFinished(async () => {
      await Promise.all([a.engine.stop(0), b.engine.stop(0)]);
    });
    for (const one of [a, b]) {
      one.sender.answer = () => 200;
      one.engine.start();
    }
    for (let round = 0; round < 4; round++) {
      const accountId = newAccountId();
      const { webhook } = await handlers.create(accountId, {
        url: `https://r${round}.example.com/`,
      });
      await a.produce(accountId, 500);
      b.engine.notify(accountId, [webhook.id]);
      await waited(randomInt(20));
      if (verb === "delete") await handlers.delete(accountId, webhook.id);
      else await handlers.update(accountId, webhook.id, { active: false });
      const sent = () =>
        [a, b]
          .flatMap(({ sender }) => sender.attempts)
          .filter(({ url }) => url.includes(`//r${round}.`)).length;
      const before = sent();
      await waited(100);
      expect(sent()).toBe(before);
    }
  });

  test("a claim that was answered before and reaches its process later begins before the answer", async () => {
    const { database, handlers, producers } = await begin();
    const pool = database.pool();
    const claimed = Promise.withResolvers<void>();
    const a = newReplica(
      {
        ...pool,
        run: async (statement, params) => {
          const rows = await pool.run(statement, params);
          if (statement.name !== "webhooks.claim-deliveries") return rows;
          claimed.resolve();
          await waited(START_WINDOW_MS / 2);
          return rows;
        },
      },
      { producers },
    );
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId);
    await a.produce(accountId);
    const round = a.engine.round();
    await claimed.promise;
    await handlers.delete(accountId, webhook.id);
    const begunAtAnswer = a.sender.attempts.length;
    await round;
    await waited(START_WINDOW_MS);
    expect([begunAtAnswer, a.sender.attempts.length]).toEqual([1, 1]);
    a.sender.attempts[0]?.end({});
  });

  test("switched on again, it is told of nothing that was before", async () => {
    const { handlers, database, replica } = await begin();
    const a = replica();
    a.sender.answer = () => 500;
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId);
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
    // Another replica may have switched it on: this one looks again within a moment.
    await eventually("it is told", async () => {
      await a.engine.round();
      return a.sender.attempts.length > 1;
    });
    const sequence = (index: number) =>
      JSON.parse(String(a.sender.attempts.at(index)?.body)).data.sequence_number;
    expect(a.sender.attempts.length).toBe(2);
    expect([sequence(0), sequence(1)]).toEqual([1, 4]);
    await a.engine.settled();
    // The clean-up leaves what was attempted in the history, and nothing of it to do.
    await cleanUp({ database: database.pool(), now: () => null, retentionDays: 30 });
    expect(await handlers.deliveries(accountId, webhook.id)).toHaveLength(2);
    const [left] = await database.query<{ n: string }>(
      "SELECT count(*) AS n FROM webhooks.deliveries",
    );
    expect(left).toEqual({ n: "2" });
  });

  test("a deleted webhook leaves nothing behind", async () => {
    const { handlers, database, replica } = await begin();
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId);
    await replica().produce(accountId, 2_500);
    await handlers.delete(accountId, webhook.id);
    const [row] = await database.query(
      "SELECT secret_sealed, secret_key_id FROM webhooks.webhooks",
    );
    expect(row).toEqual({ secret_sealed: null, secret_key_id: null });
    await cleanUp({ database: database.pool(), now: () => null, retentionDays: 30 });
    const left =
      "SELECT (SELECT count(*) FROM webhooks.webhooks) + (SELECT count(*) FROM webhooks.deliveries) AS n";
    expect(await database.query(left)).toEqual([{ n: "0" }]);
  });

  test("records are kept for their days, and no longer", async () => {
    const time = new FakeTime();
    const { handlers, database, replica } = await begin({ now: time.now, retryDelaysS: [1] });
    const a = replica();
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId);
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

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
