// Guarantee: a delivery of an event stores no body. It sends its own id and what the chain has, the same
// bytes on every attempt. Where the event cannot be read, no attempt is made and none is counted; if that is
// because the process stops, another process makes it at once.

import { eventually } from "@annals/testing";
import { expect, test } from "vitest";
import { FakeTime, newAccountId, newService } from "../../testing/dispatcher.ts";

async function begin(webhooks: number) {
  const time = new FakeTime();
  const service = await newService({ now: time.now, retryDelaysS: [60] });
  const { handlers } = service;
  const accountId = newAccountId();
  for (let n = 0; n < webhooks; n++) {
    await handlers.create(accountId, { url: `https://r${n}.example.com/` });
  }
  return { ...service, accountId, time };
}

test("no event is stored; each delivery has an id of its own, and the same body on every attempt", async () => {
  const { accountId, database, producers, replica, time } = await begin(20);
  const a = replica();
  a.sender.answer = ({ url }) => (url.includes("//r0.") ? 500 : 200);
  await a.produce(accountId, 3);
  expect(await database.query("SELECT FROM webhooks.deliveries WHERE body IS NOT NULL")).toEqual(
    [],
  );
  await a.engine.round();
  await a.engine.settled();
  expect(a.sender.attempts.length).toBe(60);
  const bodies = a.sender.attempts.map(({ body }) => JSON.parse(String(body)));
  expect(bodies.map(({ id }) => id)).toEqual(a.sender.attempts.map(({ payloadId }) => payloadId));
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(60);
  const numbers = bodies.map(({ data }) => data.sequence_number);
  expect([1, 2, 3].map((n) => numbers.filter((one) => one === n).length)).toEqual([20, 20, 20]);
  // What the fan-out has read a moment ago is not read again.
  expect(producers.eventReads).toEqual([]);
  time.advance(60);
  const b = replica();
  b.sender.answer = () => 200;
  await b.engine.round();
  await b.engine.settled();
  // Another process reads all of an account at once.
  expect(producers.eventReads).toEqual([[1n, 2n, 3n]]);
  const before = a.sender.attempts.filter(({ url }) => url.includes("//r0."));
  const bytes = (attempts: typeof before) => attempts.map(({ body }) => String(body)).toSorted();
  expect(bytes(b.sender.attempts)).toEqual(bytes(before));
});

test("a verification has its body with it, until it is delivered", async () => {
  const { accountId, database, producers, replica } = await begin(2);
  const a = replica();
  a.sender.answer = () => 200;
  await a.produce(accountId, 1, "verifications");
  const bodies = () =>
    database.query("SELECT FROM webhooks.deliveries WHERE body IS NOT NULL AND due_at IS NOT NULL");
  expect(await bodies()).toHaveLength(2);
  await a.engine.round();
  await a.engine.settled();
  const [first] = a.sender.attempts;
  expect(JSON.parse(String(first?.body))).toMatchObject({ id: first?.payloadId });
  expect(await bodies()).toEqual([]);
  expect(producers.eventReads).toEqual([]);
});

test("the ledger is away: no attempt is made and none is counted; it is made when it is back", async () => {
  const { accountId, database, handlers, producers, replica, time } = await begin(3);
  await replica().produce(accountId, 2);
  producers.gate = () => Promise.reject(new Error("the ledger is away"));
  const a = replica();
  a.sender.answer = () => 200;
  await a.engine.round();
  await a.engine.settled();
  expect(a.sender.attempts).toEqual([]);
  const pending = await database.query<{ attempts: number; leased_until: string | null }>(
    "SELECT attempts, leased_until FROM webhooks.deliveries WHERE due_at IS NOT NULL",
  );
  expect(pending).toEqual(Array.from({ length: 6 }, () => ({ attempts: 0, leased_until: null })));
  producers.gate = async () => {};
  time.advance(1);
  await eventually("all are delivered", async () => {
    await a.engine.round();
    await a.engine.settled();
    return a.sender.attempts.length === 6;
  });
  const webhooks = await handlers.list(accountId);
  const [record] = await handlers.deliveries(accountId, String(webhooks[0]?.["id"]));
  expect(record).toMatchObject({ success: true, attempts: 1 });
});

test("a process that stops while it reads an event gives the delivery back, due at once", async () => {
  const { accountId, producers, replica } = await begin(1);
  await replica().produce(accountId, 1);
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  producers.gate = () => {
    asked.resolve();
    return read.promise;
  };
  const a = replica();
  const round = a.engine.round();
  await asked.promise;
  const stopped = a.engine.stop(0);
  read.reject(new Error("the service stops"));
  await Promise.all([round, stopped]);
  producers.gate = async () => {};
  const b = replica();
  await b.engine.round();
  expect([a.sender.attempts.length, b.sender.attempts.length]).toEqual([0, 1]);
  expect((await a.metrics.unread.get()).values).toMatchObject([{ value: 0 }]);
  await b.engine.stop(0);
});

test("while the events of one account cannot be read, another account's are delivered", async () => {
  const { accountId, handlers, producers, replica } = await begin(3);
  const other = newAccountId();
  await handlers.create(other);
  const made = replica();
  await made.produce(accountId, 2);
  await made.produce(other, 1);
  const held = Promise.withResolvers<void>();
  let reads = 0;
  producers.gate = () => (reads++ === 0 ? held.promise : Promise.resolve());
  const a = replica();
  a.sender.answer = () => 200;
  const round = a.engine.round();
  await eventually("the other's is delivered", () => a.sender.attempts.length > 0);
  expect(a.sender.attempts.length).toBeLessThan(7);
  held.resolve();
  await round;
  await a.engine.settled();
});

test("an event that the chain does not have fails, and its retries end", async () => {
  const { accountId, database, producers, replica, time } = await begin(1);
  await replica().produce(accountId, 1);
  producers.rows.clear();
  const a = replica();
  for (let attempt = 0; attempt < 2; attempt++) {
    await a.engine.round();
    await a.engine.settled();
    time.advance(60);
  }
  expect(a.sender.attempts).toEqual([]);
  const rows = await database.query("SELECT attempts, due_at FROM webhooks.deliveries");
  expect(rows).toEqual([{ attempts: 2, due_at: null }]);
});
