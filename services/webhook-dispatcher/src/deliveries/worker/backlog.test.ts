// Guarantee: the pending deliveries of an account are bounded. What goes beyond is recorded for its webhook
// as a counted range, and the fan-out goes on behind it; other webhooks and accounts are not affected.

import { expect, test } from "vitest";
import { FakeTime, newService } from "../../testing/dispatcher.ts";
import { cleanUp } from "./clean-up.ts";

const MAX_PENDING = 100;

async function begin() {
  const time = new FakeTime();
  const service = await newService({ now: time.now, maxPendingPerAccount: MAX_PENDING });
  const { database, handlers, subscribed } = service;
  const { accountId, webhook } = await subscribed();
  const pending = async (id: string) => {
    const rows = await database.query(
      "SELECT FROM webhooks.deliveries WHERE webhook_id = $1 AND due_at IS NOT NULL",
      [id],
    );
    return rows.length;
  };
  const dropped = async (id: string) =>
    (await handlers.list(accountId)).find((one) => one["id"] === id)?.["dropped"];
  return { ...service, accountId, dropped, pending, time, webhook };
}

test("what goes beyond the bound is not queued, and counted with its range", async () => {
  const { accountId, dropped, pending, replica, time, webhook } = await begin();
  const a = replica();
  await a.produce(accountId, 60);
  expect(await dropped(webhook.id)).toBeUndefined();
  await a.produce(accountId, 190);
  expect(await pending(webhook.id)).toBe(MAX_PENDING);
  const first = {
    count: 150n,
    firstSequenceNumber: 101n,
    lastSequenceNumber: 250n,
    lastAt: time.text(),
  };
  expect(await dropped(webhook.id)).toEqual(first);
  time.advance(60);
  await replica().produce(accountId, 1);
  expect(await dropped(webhook.id)).toEqual({
    ...first,
    count: 151n,
    lastSequenceNumber: 251n,
    lastAt: time.text(),
  });
});

test("it is queued again as soon as there is capacity; activating begins a new record", async () => {
  const { accountId, dropped, handlers, pending, replica, webhook } = await begin();
  const a = replica();
  await a.produce(accountId, 150);
  a.sender.answer = () => 200;
  await a.engine.settled();
  while ((await pending(webhook.id)) > 0) {
    await a.engine.round();
    await a.engine.settled();
  }
  await a.produce(accountId, 10);
  expect(await pending(webhook.id)).toBe(10);
  expect(await dropped(webhook.id)).toMatchObject({ count: 50n });
  await handlers.update(accountId, webhook.id, { url: "https://example.com/other" });
  expect(await dropped(webhook.id)).toMatchObject({ count: 50n });
  await handlers.update(accountId, webhook.id, { active: true });
  expect(await dropped(webhook.id)).toBeUndefined();
});

test("a webhook with a full backlog leaves another one its share, and other accounts are apart", async () => {
  const { accountId, dropped, handlers, pending, replica, subscribed, webhook } = await begin();
  const a = replica();
  await a.produce(accountId, 200);
  const { webhook: second } = await handlers.create(accountId);
  await a.produce(accountId, 20);
  expect([await pending(webhook.id), await pending(second.id)]).toEqual([MAX_PENDING, 20]);
  expect(await dropped(second.id)).toBeUndefined();
  const other = await subscribed();
  await a.produce(other.accountId, 50);
  expect(await pending(other.webhook.id)).toBe(50);
});

test("verifications and exports have no number that a client knows: they are counted", async () => {
  const { accountId, dropped, replica, time, webhook } = await begin();
  await replica().produce(accountId, 130, "verifications");
  expect(await dropped(webhook.id)).toEqual({ count: 30n, lastAt: time.text() });
});

test("a deleted webhook leaves no record", async () => {
  const { accountId, database, handlers, replica, time, webhook } = await begin();
  await replica().produce(accountId, 150);
  await handlers.delete(accountId, webhook.id);
  await cleanUp({ database: database.pool(), now: time.now, retentionDays: 30 });
  expect(await database.query("SELECT FROM webhooks.drops")).toEqual([]);
});

test("events that retention has deleted meanwhile are counted as dropped, and the next ones are queued", async () => {
  const { accountId, dropped, pending, producers, replica, time, webhook } = await begin();
  const a = replica();
  await a.produce(accountId, 10);
  // No dispatcher was there, for longer than the events are kept.
  producers.add(accountId, "events", 490);
  producers.deletedThrough = 480n;
  await replica().produce(accountId, 1);
  expect(await dropped(webhook.id)).toEqual({
    count: 470n,
    firstSequenceNumber: 11n,
    lastSequenceNumber: 480n,
    lastAt: time.text(),
  });
  expect(await pending(webhook.id)).toBe(10 + 21);
});
