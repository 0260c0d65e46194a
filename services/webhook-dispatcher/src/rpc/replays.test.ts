// Guarantee: a test and a replay are deliveries as any other, with ids of their own, within the bound of the
// account; a replay sends the same data as the delivery before.

import { expect, test } from "vitest";
import { FakeTime, newService } from "../testing/dispatcher.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { replayEvents } from "./replay-events.ts";
import { testWebhook } from "./test-webhook.ts";

async function begin(maxPendingPerAccount = 1_000) {
  const time = new FakeTime();
  const service = await newService({
    now: time.now,
    maxPendingPerAccount,
    maxInFlightPerEndpoint: 200,
  });
  const { accountId, webhook } = await service.subscribed({ events: ["event.created"] });
  const replica = service.replica();
  replica.sender.answer = () => 200;
  const { ask } = service.handlers;
  const request = { accountId, webhookId: webhook.id };
  return {
    ...service,
    accountId,
    replica,
    webhook,
    send: () => ask<{ deliveryId: string }>(testWebhook, request),
    replay: (deliveryId: unknown) =>
      ask<{ deliveryId: string }>(replayDelivery, { ...request, deliveryId }),
    replayRange: (fromSequenceNumber: bigint, toSequenceNumber: bigint) =>
      ask<{ deliveries: number }>(replayEvents, {
        ...request,
        fromSequenceNumber,
        toSequenceNumber,
      }),
    delivered: async () => {
      let before = -1;
      while (replica.sender.attempts.length > before) {
        before = replica.sender.attempts.length;
        await replica.engine.round();
        await replica.engine.settled();
      }
      return replica.sender.attempts.map(({ body }) => JSON.parse(String(body)));
    },
  };
}

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

test("what is not kept any more is not replayed", async () => {
  const { accountId, delivered, handlers, producers, replay, replica, webhook } = await begin();
  await replica.produce(accountId, 2);
  await delivered();
  producers.rows.clear();
  const [record] = await handlers.deliveries(accountId, webhook.id);
  await expect(replay(record?.["id"])).rejects.toThrow("delivery_id: cannot be replayed");
});

test("a range of 1,000 events is replayed whole, in order", async () => {
  const { accountId, delivered, producers, replayRange } = await begin();
  producers.add(accountId, "events", 1_100);
  expect(await replayRange(51n, 1_050n)).toEqual({ deliveries: 1_000 });
  const numbers = (await delivered()).map(({ data }) => data.sequence_number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index + 51),
  );
});

test("beyond the bound of the account nothing is queued", async () => {
  const { accountId, database, producers, replayRange, send } = await begin(50);
  producers.add(accountId, "events", 100);
  await replayRange(1n, 50n);
  const tooMany = { kind: "unavailable", retryAfterS: 60 };
  await expect(replayRange(51n, 51n)).rejects.toMatchObject(tooMany);
  await expect(send()).rejects.toMatchObject(tooMany);
  expect(await database.query("SELECT FROM webhooks.deliveries")).toHaveLength(50);
});
