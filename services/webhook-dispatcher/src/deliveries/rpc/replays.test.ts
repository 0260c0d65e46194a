// Guarantee: a test and a replay are deliveries as any other, with ids of their own, within the bounds of the
// account in number and bytes; a replay sends the same data as the delivery before, and stores none of it. A
// range goes only to a webhook whose URL has taken a delivery. Replays of an account take turns, and each
// event counts once in its day.

import { bytesWaiting } from "@annals/testing";
import { expect, test } from "vitest";
import { FakeTime, newService, POOL_SIZE } from "../../testing/dispatcher.ts";
import { eventEntry } from "../rules/payload.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { replayEvents } from "./replay-events.ts";
import { ReplayTurns } from "../replay-turns.ts";
import { testWebhook } from "../../webhooks/rpc/test-webhook.ts";

async function begin(maxPendingPerAccount = 1_000, maxPendingBytesPerAccount = 100_000_000) {
  const time = new FakeTime();
  const service = await newService({
    now: time.now,
    maxPendingPerAccount,
    maxPendingBytesPerAccount,
    maxInFlightPerEndpoint: 200,
  });
  const { accountId, webhook } = await service.subscribed({ events: ["event.created"] });
  const replica = service.replica();
  replica.sender.answer = () => 200;
  const { ask } = service.handlers;
  const request = { accountId, webhookId: webhook.id };
  const send = () => ask<{ deliveryId: string }>(testWebhook, request);
  const delivered = async () => {
    let before = -1;
    while (replica.sender.attempts.length > before) {
      before = replica.sender.attempts.length;
      await replica.engine.round();
      await replica.engine.settled();
    }
    return replica.sender.attempts.map(({ body }) => JSON.parse(String(body)));
  };
  return {
    ...service,
    accountId,
    replica,
    webhook,
    send,
    replay: (deliveryId: unknown) =>
      ask<{ deliveryId: string }>(replayDelivery, { ...request, deliveryId }),
    replayRange: (fromSequenceNumber: bigint, toSequenceNumber: bigint) =>
      ask<{ deliveries: number }>(replayEvents, {
        ...request,
        fromSequenceNumber,
        toSequenceNumber,
      }),
    delivered,
    /** A first delivery that the receiver takes. */
    tried: async () => {
      await send();
      await delivered();
      replica.sender.attempts.length = 0;
    },
  };
}

test("deliveries that wait to be queued count with their rows", async () => {
  const { accountId, pool, producers, replayRange, tried } = await begin();
  await tried();
  producers.add(accountId, "events", 1_000);
  const waited = { pool, connections: POOL_SIZE, accountId };
  // Each row has three ids.
  expect(await bytesWaiting(waited, () => replayRange(1n, 1_000n))).toBeGreaterThan(180_000);
});

test("a test delivery says what it is", async () => {
  const { accountId, delivered, handlers, send, webhook } = await begin();
  const { deliveryId } = await send();
  const [body] = await delivered();
  expect(body).toMatchObject({ event: "webhook.test", data: { webhook_id: webhook.id } });
  expect(Object.keys(body)).toEqual(["id", "event", "data", "timestamp"]);
  const [record] = await handlers.deliveries(accountId, webhook.id);
  expect(record).toMatchObject({ id: deliveryId, event: "webhook.test", success: true });
});

test("a replay sends the same data, with ids of its own; it can be replayed, too", async () => {
  const { accountId, delivered, handlers, replay, replica, webhook } = await begin();
  await replica.produce(accountId, 3);
  await delivered();
  const records = await handlers.deliveries(accountId, webhook.id);
  const { deliveryId } = await replay(records[1]?.["id"]);
  const first = (await delivered()).at(-1);
  expect(first).toMatchObject({ event: "event.created", data: { sequence_number: 2 } });
  await replay(deliveryId);
  const bodies = await delivered();
  expect(bodies.at(-1)?.data).toEqual(first.data);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(5);
});

test("what is no longer kept is not replayed", async () => {
  const { accountId, delivered, handlers, producers, replay, replica, webhook } = await begin();
  await replica.produce(accountId, 2);
  await delivered();
  producers.rows.clear();
  const [record] = await handlers.deliveries(accountId, webhook.id);
  await expect(replay(record?.["id"])).rejects.toThrow("delivery_id: cannot be replayed");
});

test("a test delivery is not replayed, and the error says what to do", async () => {
  const { delivered, replay, send, webhook } = await begin();
  const { deliveryId } = await send();
  await delivered();
  const message =
    "delivery_id: must not be the id of a test delivery: " +
    `send another one (POST /v1/webhooks/${webhook.id}/test)`;
  await expect(replay(deliveryId)).rejects.toThrow(message);
});

test("a range is replayed as far as the filter selects it, which may be nothing; one delivery without it", async () => {
  const { accountId, delivered, handlers, producers, replay, replayRange, tried, webhook } =
    await begin();
  const actor = (id: string) => ({ action: "user.login", actor: { id } });
  producers.addEvents(accountId, actor("ada"), actor("bob"), {}, actor("ada"));
  await tried();
  await handlers.update(accountId, webhook.id, { filter: { actorId: { values: ["ada"] } } });
  expect(await replayRange(1n, 4n)).toEqual({ deliveries: 2 });
  const bodies = await delivered();
  expect(bodies.map(({ data }) => data.sequence_number)).toEqual([1, 4]);
  expect(await replayRange(2n, 3n)).toEqual({ deliveries: 0 });
  expect(producers.eventReads.flat()).toEqual([1n, 4n]);
  const records = await handlers.deliveries(accountId, webhook.id);
  await handlers.update(accountId, webhook.id, { filter: { actorId: { values: ["eve"] } } });
  await replay(records[0]?.["id"]);
  expect((await delivered()).at(-1)?.data).toMatchObject({ sequence_number: 4 });
});

test("a range is replayed as far as values of fields are selected; not while the filter changes", async () => {
  const { accountId, delivered, handlers, producers, replayRange, tried, webhook } = await begin();
  const context = { tag: "a" };
  producers.addEvents(accountId, { context }, {}, { context }, { context, action: "b" });
  await tried();
  const tag = { name: "tag", path: ["context", "tag"], type: "string", values: ["a"] };
  const filter = { fields: [tag], not: { action: { values: ["b"] } } };
  await handlers.update(accountId, webhook.id, { filter });
  expect(await replayRange(1n, 4n)).toEqual({ deliveries: 2 });
  const numbers = (await delivered()).map(({ data }) => data.sequence_number);
  expect(numbers).toEqual([1, 3]);
  const measure = producers.measure.bind(producers);
  let changes = 0;
  producers.measure = async (...given) => {
    const events = await measure(...given);
    changes += 1;
    const other = { ...tag, path: ["context", `tag${changes}`] };
    await handlers.update(accountId, webhook.id, { filter: { fields: [other] } });
    return events;
  };
  await expect(replayRange(1n, 4n)).rejects.toThrow("The filter of the webhook was changed");
  expect(changes).toBe(3);
});

test("a range of 1,000 events is replayed whole, in order, and none of it is stored or read before", async () => {
  const { accountId, database, delivered, producers, replayRange, tried } = await begin();
  producers.add(accountId, "events", 1_100);
  await tried();
  expect(await replayRange(51n, 1_050n)).toEqual({ deliveries: 1_000 });
  expect(producers.eventReads).toEqual([]);
  const stored = "SELECT FROM webhooks.deliveries WHERE body IS NOT NULL";
  expect(await database.query(stored)).toEqual([]);
  const numbers = (await delivered()).map(({ data }) => data.sequence_number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index + 51),
  );
});

test("a range beyond the last event queues nothing", async () => {
  const { accountId, delivered, producers, replayRange, tried } = await begin();
  producers.add(accountId, "events", 100);
  await tried();
  await expect(replayRange(1n, 101n)).rejects.toThrow("to_sequence_number: must not be beyond");
  expect(await delivered()).toEqual([]);
});

test("beyond the bound of the account nothing is queued", async () => {
  const { accountId, database, producers, replayRange, send, tried } = await begin(50);
  producers.add(accountId, "events", 100);
  await tried();
  await replayRange(1n, 50n);
  const tooMany = { kind: "unavailable", retryAfterS: 60 };
  await expect(replayRange(51n, 51n)).rejects.toMatchObject(tooMany);
  await expect(send()).rejects.toMatchObject(tooMany);
  const pending = "SELECT FROM webhooks.deliveries WHERE due_at IS NOT NULL";
  expect(await database.query(pending)).toHaveLength(50);
});

test("each event that is replayed counts in its day, once, and not if nothing is queued", async () => {
  const { accountId, database, delivered, handlers, producers, replay, replayRange, send, tried } =
    await begin(50);
  const used = async () =>
    (
      await database.query("SELECT used FROM webhooks.daily_uses WHERE account_id = $1", [
        accountId,
      ])
    )
      .map((row) => Number(row["used"]))
      .at(0);
  producers.add(accountId, "events", 100);
  await tried();
  await replayRange(1n, 30n);
  expect(await used()).toBe(30);
  await delivered();
  const [record] = await handlers.deliveries(
    accountId,
    (await handlers.list(accountId))[0]?.["id"] as string,
  );
  await replay(record?.["id"]);
  expect(await used()).toBe(31);
  // A test is no replay.
  await send();
  await expect(replayRange(31n, 100n)).rejects.toMatchObject({ kind: "unavailable" });
  expect(await used()).toBe(31);
  const limit = "UPDATE webhooks.daily_uses SET used = 100000000 WHERE account_id = $1";
  await database.query(limit, [accountId]);
  await expect(replay(record?.["id"])).rejects.toMatchObject({ kind: "plan_quota_exceeded" });
  await expect(replayRange(1n, 1n)).rejects.toMatchObject({ kind: "plan_quota_exceeded" });
});

test("beyond the bound in bytes nothing is queued, and the fan-out drops and counts", async () => {
  const size = eventEntry(1n, 22).bytes;
  const { accountId, handlers, producers, replayRange, replica, tried } = await begin(
    1_000,
    size * 10,
  );
  producers.add(accountId, "events", 100);
  await tried();
  const tooMany = { kind: "unavailable", retryAfterS: 60 };
  await expect(replayRange(1n, 11n)).rejects.toMatchObject(tooMany);
  await replayRange(1n, 10n);
  await expect(replayRange(11n, 11n)).rejects.toMatchObject(tooMany);
  await replica.produce(accountId, 50);
  const [webhook] = await handlers.list(accountId);
  expect(webhook?.["dropped"]).toBeDefined();
});

test("a range is replayed only after a delivery that the receiver has taken", async () => {
  const { accountId, delivered, handlers, producers, replayRange, replica, tried, webhook } =
    await begin();
  producers.add(accountId, "events", 10);
  const untried =
    "id: must have accepted a delivery since its URL was set: send a test delivery first";
  await expect(replayRange(1n, 2n)).rejects.toThrow(untried);
  replica.sender.answer = () => 500;
  await tried();
  await expect(replayRange(1n, 2n)).rejects.toThrow(untried);
  replica.sender.answer = () => 200;
  await tried();
  expect(await replayRange(1n, 2n)).toEqual({ deliveries: 2 });
  await delivered();
  // The same URL again changes nothing; another one has taken none yet.
  await handlers.update(accountId, webhook.id, { url: "https://example.com/hook" });
  expect(await replayRange(1n, 2n)).toEqual({ deliveries: 2 });
  await delivered();
  await handlers.update(accountId, webhook.id, { url: "https://other.example.com/hook" });
  await expect(replayRange(1n, 2n)).rejects.toThrow(untried);
});

test("a success of the URL before is none of the new one", async () => {
  const { accountId, handlers, producers, replayRange, replica, send, webhook } = await begin();
  producers.add(accountId, "events", 10);
  replica.sender.answer = undefined;
  await send();
  await replica.engine.round();
  await handlers.update(accountId, webhook.id, { url: "https://other.example.com/hook" });
  replica.sender.attempts[0]?.end({});
  await replica.engine.settled();
  await expect(replayRange(1n, 2n)).rejects.toThrow("must have accepted a delivery");
});

test("replays of an account take turns; one that waits too long fails; others do not wait", async () => {
  const turns = new ReplayTurns(50);
  const held = Promise.withResolvers<void>();
  const first = turns.run("acct_1", () => held.promise);
  await expect(turns.run("acct_1", async () => {})).rejects.toMatchObject({
    kind: "rate_limited",
    retryAfterS: 1,
  });
  expect(await turns.run("acct_2", async () => "done")).toBe("done");
  const next = turns.run("acct_1", async () => "done");
  held.resolve();
  await first;
  expect(await next).toBe("done");
});
