// Guarantee: one replica at a time has a delivery, and no delivery is lost with its replica; a replica that
// was too slow changes nothing; one receiver never takes the slots of others.

import { eventually } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FakeTime, newAccountId, newService, intercepted } from "../../testing/dispatcher.ts";
import { START_WINDOW_MS } from "./attempts.ts";

describe("leases", () => {
  test("a claimed delivery goes to no other replica until its lease is over", async () => {
    const time = new FakeTime();
    const { handlers, replica, subscribed } = await newService({ now: time.now });
    const [a, b] = [replica(), replica()];
    const { accountId, webhook } = await subscribed();
    await a.produce(accountId);
    await a.engine.round();
    await b.engine.round();
    expect([a.sender.attempts.length, b.sender.attempts.length]).toEqual([1, 0]);
    // Replica a is cut off. The deadline and the margin pass.
    time.advance(20);
    await b.engine.round();
    expect(b.sender.attempts.length).toBe(1);
    b.sender.attempts[0]?.end({ outcome: "refused", statusCode: 503 });
    await b.engine.settled();
    const record = await handlers.deliveries(accountId, webhook.id);
    expect(record).toMatchObject([{ attempts: 1, statusCode: 503 }]);
    // The late result of a is not stored.
    a.sender.attempts[0]?.end({ outcome: "success", statusCode: 200 });
    await a.engine.settled();
    expect(await handlers.deliveries(accountId, webhook.id)).toEqual(record);
  });

  test("replicas that claim at once share the work: each delivery is sent once", async () => {
    const { replica, subscribed } = await newService({ maxInFlightPerEndpoint: 500 });
    const accounts = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { accountId } = await subscribed();
        return accountId;
      }),
    );
    const replicas = [replica(), replica(), replica()];
    for (const one of replicas) one.sender.answer = () => 200;
    for (const accountId of accounts) await replicas[0]?.produce(accountId, 200);
    for (let round = 0; round < 10; round++) {
      await Promise.all(replicas.map(({ engine }) => engine.round()));
    }
    await Promise.all(replicas.map(({ engine }) => engine.settled()));
    const sent = replicas.flatMap(({ sender }) => sender.attempts.map((one) => one.payloadId));
    expect(sent.length).toBe(1_000);
    expect(new Set(sent).size).toBe(1_000);
  });

  test("stop waits for attempts for the grace period, then releases them unattempted", async () => {
    const { replica, subscribed } = await newService();
    const [a, b] = [replica(), replica()];
    const { accountId } = await subscribed();
    await a.produce(accountId, 3);
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

  test("no attempt begins on a claim that took too long", async () => {
    const { database, replica, subscribed } = await newService();
    const pool = database.pool();
    const slow = intercepted(pool, {
      run: async (statement, params) => {
        const rows = await pool.run(statement, params);
        if (statement.name === "webhooks.claim-deliveries") await pause(START_WINDOW_MS + 50);
        return rows;
      },
    });
    const a = replica(slow);
    const { accountId } = await subscribed();
    await a.produce(accountId);
    await a.engine.round();
    await a.engine.settled();
    expect(a.sender.attempts).toEqual([]);
    const b = replica(pool);
    await b.engine.round();
    expect(b.sender.attempts.length).toBe(1);
  });
});

describe("claims without a scan", () => {
  test("take what this replica fanned out, and nothing of another replica", async () => {
    const { replica, subscribed } = await newService();
    const [a, b] = [replica(), replica()];
    const { accountId } = await subscribed();
    await a.produce(accountId, 3);
    await b.engine.round(false);
    await a.engine.round(false);
    expect([a.sender.attempts.length, b.sender.attempts.length]).toEqual([3, 0]);
    // After their release the scan finds them.
    await a.engine.stop(0);
    await b.engine.round();
    expect(b.sender.attempts.length).toBe(3);
    await b.engine.stop(0);
  });

  test("take the rest of a queue whenever a slot is free, to the last", async () => {
    const { replica, subscribed } = await newService({ maxInFlightPerEndpoint: 3 });
    const a = replica();
    const { accountId } = await subscribed();
    await a.produce(accountId, 50);
    for (let done = 0; done < 50; done++) {
      await eventually("one more", async () => {
        await a.engine.round(false);
        return a.sender.attempts.length > done;
      });
      a.sender.attempts[done]?.end({});
    }
    await a.engine.settled();
    expect(a.sender.attempts.length).toBe(50);
    await a.engine.round(false);
    expect(a.sender.attempts.length).toBe(50);
  });
});

describe("fairness", () => {
  test("a receiver has no more attempts under way than its slots", async () => {
    const { replica, subscribed } = await newService({ maxInFlightPerEndpoint: 3 });
    const a = replica();
    const { accountId } = await subscribed();
    await a.produce(accountId, 10);
    for (let i = 0; i < 3; i++) await a.engine.round();
    expect(a.sender.attempts.length).toBe(3);
    a.sender.attempts[1]?.end({});
    await eventually("a slot is free", async () => {
      await a.engine.round();
      return a.sender.attempts.length === 4;
    });
  });

  test("the first of each receiver comes before the second of any, however long that has waited", async () => {
    const { handlers, replica, subscribed } = await newService({ maxInFlight: 6 });
    const a = replica();
    const { accountId: hung } = await subscribed({ url: "https://hung.example.com/" });
    await a.produce(hung, 500);
    for (let i = 0; i < 5; i++) {
      const accountId = newAccountId();
      await handlers.create(accountId, { url: `https://healthy-${i}.example.com/` });
      await a.produce(accountId, 2);
    }
    await a.engine.round();
    expect(new Set(a.sender.attempts.map(({ url }) => url)).size).toBe(6);
  });

  test("many receivers that hang leave slots for the others", async () => {
    const { replica, subscribed } = await newService({
      maxInFlight: 40,
      maxInFlightPerEndpoint: 10,
    });
    const a = replica();
    for (let i = 0; i < 8; i++) {
      const { accountId: hung } = await subscribed({ url: "https://hung.example.com/" });
      await a.produce(hung, 50);
      await a.engine.round();
    }
    const { accountId: healthy } = await subscribed({ url: "https://healthy.example.com/" });
    await a.produce(healthy);
    await a.engine.round();
    expect(a.sender.attempts.at(-1)?.url).toBe("https://healthy.example.com/");
  });

  test("an account has no more attempts under way than its share, and all of them in the end", async () => {
    const { handlers, replica, subscribed } = await newService({ maxInFlightPerAccount: 20 });
    const a = replica();
    const { accountId } = await subscribed();
    for (let i = 0; i < 29; i++) await handlers.create(accountId);
    await a.produce(accountId, 2);
    for (let i = 0; i < 3; i++) await a.engine.round();
    expect(a.sender.attempts.length).toBe(20);
    const { accountId: other } = await subscribed({ url: "https://other.example.com/" });
    await a.produce(other);
    await a.engine.round();
    expect(a.sender.attempts.at(-1)?.url).toBe("https://other.example.com/");
    // Without a scan: whatever waits for the share comes when a slot is free.
    a.sender.answer = () => 200;
    for (const { end } of a.sender.attempts) end({});
    await eventually("all are sent", async () => {
      await a.engine.round(false);
      return a.sender.attempts.length === 61;
    });
    await a.engine.settled();
  });

  test("a round scans a bounded number of webhooks, and the next goes on behind them", async () => {
    const { database, replica, subscribed } = await newService({
      maxInFlight: 5_000,
      maxInFlightPerAccount: 5_000,
    });
    const { accountId, webhook } = await subscribed();
    // 1,500 webhooks with one delivery each.
    await database.query(
      `WITH made AS (
         INSERT INTO webhooks.webhooks (account_id, id, url, events, active, created_at, secret_key_id, secret_sealed,
           after_events, after_verifications, after_exports, after_checkpoints)
         SELECT account_id, 'wh_' || n, url, events, active, created_at, secret_key_id, secret_sealed, 0, 0, 0, 0
         FROM webhooks.webhooks, generate_series(1, 1500) AS n WHERE id = $1 RETURNING 1)
       INSERT INTO webhooks.deliveries (account_id, webhook_id, id, payload_id, event, body, bytes, created_at, due_at)
       SELECT $2, 'wh_' || n, 'd' || n, 'p' || n, 'event.created', '{}', 2, now(), now() FROM generate_series(1, 1500) AS n`,
      [webhook.id, accountId],
    );
    const a = replica();
    let rounds = 1;
    while (await a.engine.round()) rounds += 1;
    expect(rounds).toBeLessThan(20);
    const rows = await database.query("SELECT FROM webhooks.deliveries WHERE fence > 0");
    expect(rows.length).toBe(1_500);
    await a.engine.stop(0);
  });
});

test("if the scan fails, it claims for the webhooks that the last one has read", async () => {
  const { database, replica, subscribed } = await newService();
  const pool = database.pool();
  let isAway = false;
  const failing = intercepted(pool, {
    run: (statement, params) =>
      isAway && statement.route === "all accounts, read"
        ? Promise.reject(new Error("a server is away"))
        : pool.run(statement, params),
  });
  const [a, b] = [replica(failing), replica()];
  const { accountId } = await subscribed();
  await b.produce(accountId);
  await a.engine.round();
  // This scan finds that nothing is due.
  await a.engine.round();
  await b.produce(accountId);
  isAway = true;
  await expect(a.engine.round()).rejects.toThrow("away");
  await a.engine.begun();
  expect(a.sender.attempts).toHaveLength(2);
});
