// Guarantee: a delivery is in one hand at a time and is never lost with it; a hand that was too
// slow changes nothing; one receiver never takes the places of others; and when switching off is
// answered, nothing begins any more.

import { randomInt } from "node:crypto";
import { eventually } from "@annals/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  FakeProducers,
  FakeTime,
  newAccountId,
  newDatabase,
  newHandlers,
  newReplica,
  type ReplicaOptions,
} from "../testing-fixtures/dispatcher.ts";
import { cleanUp } from "./clean-up.ts";
import { START_WINDOW_MS } from "./delivery-engine.ts";

async function begin(options: Omit<ReplicaOptions, "producers"> = {}) {
  const database = await newDatabase();
  const producers = new FakeProducers();
  const handlers = newHandlers(database.pool(), producers);
  const replica = () => newReplica(database.pool(), { ...options, producers });
  return { database, handlers, producers, replica };
}

describe("leases", () => {
  test("what one replica has claimed no other gets, until its lease is over", async () => {
    const time = new FakeTime();
    const { handlers, replica } = await begin({ now: time.now });
    const [a, b] = [replica(), replica()];
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId);
    await a.happen(accountId);
    await a.engine.round();
    await b.engine.round();
    expect([a.sender.attempts.length, b.sender.attempts.length]).toEqual([1, 0]);
    // Replica a is cut off. Its deadline and the margin pass.
    time.advance(20);
    await b.engine.round();
    expect(b.sender.attempts.length).toBe(1);
    b.sender.attempts[0]?.end({ outcome: "refused", statusCode: 503 });
    await b.engine.settled();
    const record = await handlers.deliveries(accountId, webhook.id);
    expect(record).toMatchObject([{ attempts: 1, statusCode: 503 }]);
    // The late result of a is not taken.
    a.sender.attempts[0]?.end({ outcome: "success", statusCode: 200 });
    await a.engine.settled();
    expect(await handlers.deliveries(accountId, webhook.id)).toEqual(record);
  });

  test("two replicas that claim at the same time share the work: each delivery once", async () => {
    const { handlers, replica } = await begin({ maxInFlightPerEndpoint: 500 });
    const accounts = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const accountId = newAccountId();
        await handlers.create(accountId);
        return accountId;
      }),
    );
    const replicas = [replica(), replica(), replica()];
    for (const one of replicas) one.sender.answer = () => 200;
    for (const accountId of accounts) await replicas[0]?.happen(accountId, 200);
    for (let round = 0; round < 10; round++) {
      await Promise.all(replicas.map(({ engine }) => engine.round()));
    }
    await Promise.all(replicas.map(({ engine }) => engine.settled()));
    const sent = replicas.flatMap(({ sender }) => sender.attempts.map((one) => one.payloadId));
    expect(sent.length).toBe(1_000);
    expect(new Set(sent).size).toBe(1_000);
  });

  test("a stop gives attempts their grace, then gives them back unattempted", async () => {
    const { handlers, replica } = await begin();
    const [a, b] = [replica(), replica()];
    const accountId = newAccountId();
    await handlers.create(accountId);
    await a.happen(accountId, 3);
    a.engine.start();
    await eventually("three attempts", () => a.sender.attempts.length === 3);
    const stopped = a.engine.stop(50);
    a.sender.attempts[0]?.end({});
    await stopped;
    await b.engine.round();
    expect(b.sender.attempts.map(({ payloadId }) => payloadId).toSorted()).toEqual(
      a.sender.attempts
        .slice(1)
        .map(({ payloadId }) => payloadId)
        .toSorted(),
    );
  });

  test("a claim that took too long to come is not begun", async () => {
    const { handlers, database, producers } = await begin();
    const pool = database.pool();
    const slow: typeof pool = {
      ...pool,
      run: async (statement, params) => {
        const rows = await pool.run(statement, params);
        if (statement.name === "webhooks.claim-deliveries") await waited(START_WINDOW_MS + 50);
        return rows;
      },
    };
    const a = newReplica(slow, { producers });
    const accountId = newAccountId();
    await handlers.create(accountId);
    await a.happen(accountId);
    await a.engine.round();
    await a.engine.settled();
    expect(a.sender.attempts).toEqual([]);
    const b = newReplica(pool, { producers });
    await b.engine.round();
    expect(b.sender.attempts.length).toBe(1);
  });
});

describe("fairness", () => {
  test("a receiver gets no more at a time than its places", async () => {
    const { handlers, replica } = await begin({ maxInFlightPerEndpoint: 3 });
    const a = replica();
    const accountId = newAccountId();
    await handlers.create(accountId);
    await a.happen(accountId, 10);
    for (let i = 0; i < 3; i++) await a.engine.round();
    expect(a.sender.attempts.length).toBe(3);
    a.sender.attempts[1]?.end({});
    await eventually("a place is free", async () => {
      await a.engine.round();
      return a.sender.attempts.length === 4;
    });
  });

  test("each receiver's first comes before any one's second, whoever has waited longer", async () => {
    const { handlers, replica } = await begin({ maxInFlight: 6 });
    const a = replica();
    const hung = newAccountId();
    await handlers.create(hung, { url: "https://hung.example.com/" });
    await a.happen(hung, 500);
    for (let i = 0; i < 5; i++) {
      const accountId = newAccountId();
      await handlers.create(accountId, { url: `https://healthy-${i}.example.com/` });
      await a.happen(accountId, 2);
    }
    await a.engine.round();
    expect(new Set(a.sender.attempts.map(({ url }) => url)).size).toBe(6);
  });

  test("many receivers that hang leave places for the others", async () => {
    const { handlers, replica } = await begin({ maxInFlight: 40, maxInFlightPerEndpoint: 10 });
    const a = replica();
    for (let i = 0; i < 8; i++) {
      const hung = newAccountId();
      await handlers.create(hung, { url: "https://hung.example.com/" });
      await a.happen(hung, 50);
      await a.engine.round();
    }
    const healthy = newAccountId();
    await handlers.create(healthy, { url: "https://healthy.example.com/" });
    await a.happen(healthy);
    await a.engine.round();
    expect(a.sender.attempts.at(-1)?.url).toBe("https://healthy.example.com/");
  });

  test("a round looks at a bounded number of webhooks, and the next goes on behind them", async () => {
    const { database, handlers, replica } = await begin({ maxInFlight: 5_000 });
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId);
    // 1,500 webhooks with one delivery each.
    await database.query(
      `WITH made AS (
         INSERT INTO webhooks.webhooks SELECT account_id, 'wh_' || n, url, events, active, created_at, secret_key_id,
           secret_sealed, 0, 0, 0 FROM webhooks.webhooks, generate_series(1, 1500) AS n WHERE id = $1 RETURNING 1)
       INSERT INTO webhooks.deliveries (account_id, webhook_id, id, payload_id, event, body, created_at, due_at)
       SELECT $2, 'wh_' || n, 'd' || n, 'p' || n, 'event.created', '{}', now(), now() FROM generate_series(1, 1500) AS n`,
      [webhook.id, accountId],
    );
    const a = replica();
    let rounds = 1;
    while (await a.engine.round()) rounds += 1;
    expect(rounds).toBeLessThan(20);
    const rows = await database.query("SELECT FROM webhooks.deliveries WHERE leased OR fence > 0");
    expect(rows.length).toBe(1_500);
    await a.engine.stop(0);
  });
});

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
      await a.happen(accountId, 500);
      b.engine.wake();
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
    await a.happen(accountId);
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
    await a.happen(accountId);
    await a.engine.round();
    await a.engine.settled();
    await a.happen(accountId);
    await handlers.update(accountId, webhook.id, { active: false });
    await a.happen(accountId);
    const [record] = await handlers.deliveries(accountId, webhook.id);
    expect(record).toMatchObject({ attempts: 1 });
    expect(record).not.toHaveProperty("nextRetryAt");
    await handlers.update(accountId, webhook.id, { active: true });
    await a.happen(accountId);
    await a.engine.round();
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
    await replica().happen(accountId, 2_500);
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
      await a.happen(accountId, 2);
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
