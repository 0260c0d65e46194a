// Guarantee: attempts at 0, 1, 5 and 15 minutes, each counted from the end of the attempt before,
// never early; the record says after each what the interface promises; body, id and secret are the
// same every time. Under a time that the test sets.

import { expect, test } from "vitest";
import { FakeTime, newAccountId, newService } from "../../testing/dispatcher.ts";

async function begin(retryDelaysS?: readonly number[]) {
  const time = new FakeTime();
  const accountId = newAccountId();
  const service = await newService({ now: time.now, ...(retryDelaysS && { retryDelaysS }) });
  const { database, handlers } = service;
  const { webhook } = await handlers.create(accountId);
  const replica = service.replica();
  await replica.produce(accountId);
  return {
    database,
    time,
    accountId,
    replica,
    newReplica: service.replica,
    record: async () => (await handlers.deliveries(accountId, webhook.id))[0],
  };
}

test("a receiver that always fails gets four attempts, at 0, 1, 5 and 15 minutes", async () => {
  const { time, replica, record, newReplica: another } = await begin();
  expect(await record()).toBeUndefined();
  const attempts = [];
  let current = replica;
  for (const [index, delay] of [60, 300, 900, undefined].entries()) {
    await current.engine.round();
    const [attempt, ...more] = current.sender.attempts;
    expect(more).toEqual([]);
    attempts.push(attempt);
    // The attempt takes three seconds; the delay counts from its end.
    time.advance(3);
    attempt?.end(
      index === 2
        ? { outcome: "timeout", statusCode: null }
        : { outcome: "refused", statusCode: 500 + index },
    );
    await current.engine.settled();
    expect(await record()).toEqual({
      id: expect.stringMatching(/^wh_del_/),
      event: "event.created",
      success: false,
      attempts: index + 1,
      ...(index !== 2 && { statusCode: 500 + index }),
      failure: index === 2 ? "timeout" : "status",
      lastAttemptAt: time.text(),
      ...(delay !== undefined && { nextRetryAt: time.text(delay) }),
    });
    // A new process for each attempt: the schedule is not in memory.
    current = another();
    if (delay === undefined) break;
    time.advance(delay - 0.001);
    await current.engine.round();
    expect(current.sender.attempts).toEqual([]);
    time.advance(0.001);
  }
  time.advance(1_000_000);
  await current.engine.round();
  expect(current.sender.attempts).toEqual([]);
  expect(attempts.length).toBe(4);
  expect(new Set(attempts.map((one) => one?.payloadId)).size).toBe(1);
  expect(new Set(attempts.map((one) => one?.secret)).size).toBe(1);
  expect(new Set(attempts.map((one) => String(one?.body))).size).toBe(1);
  const body = JSON.parse(String(attempts[0]?.body));
  expect(Object.keys(body)).toEqual(["id", "event", "data", "timestamp"]);
  expect(body).toMatchObject({ id: attempts[0]?.payloadId, data: { sequence_number: 1 } });
});

test("a receiver that succeeds at the third attempt gets three", async () => {
  const { time, replica, record } = await begin([60, 300, 900]);
  replica.sender.answer = () => (replica.sender.attempts.length < 3 ? 503 : 204);
  for (const delay of [60, 300, 900]) {
    await replica.engine.round();
    await replica.engine.settled();
    time.advance(delay);
  }
  await replica.engine.round();
  expect(replica.sender.attempts.length).toBe(3);
  expect(await record()).toEqual({
    id: expect.any(String),
    event: "event.created",
    success: true,
    statusCode: 204,
    attempts: 3,
    deliveredAt: time.text(-900),
  });
});
