// Guarantee: created_at never decreases along a chain, whichever ledger appends, except at a record of the
// chain that says so: if the time of the head was wrong, which is more than five seconds ahead. A ledger
// whose own clock is wrong appends nothing.

import type { Clock } from "@annals/contract";
import { formatMicros } from "@annals/contract";
import type { TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { retentionRecord } from "./rules/record-events.ts";
import { append, chainOf, newAccountId, newQueue } from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";

const NOON = Date.UTC(2026, 4, 10, 12) * 1_000;
const S = 1_000_000;
const DAY_S = 86_400;

class ShiftedClock implements Clock {
  shiftS = 0;
  wrong: string | undefined;

  nowMicros(): number {
    return NOON + this.shiftS * S;
  }

  nowText(): string {
    return formatMicros(this.nowMicros());
  }

  readonly fault = () => this.wrong;
}

let database: TestDatabase;
beforeEach(async () => {
  database = await newLedgerDatabase();
});

function openQueue(shiftS = 0) {
  const clock = new ShiftedClock();
  clock.shiftS = shiftS;
  return { clock, ...newQueue(database.url, (pool) => pool, onTestFinished, clock) };
}

/** The times of the chain in seconds from noon, and the actions that are not those of the appends. */
async function timesOf(accountId: string) {
  await chainOf(database, accountId);
  const rows = await database.query(
    "SELECT action, created_at FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number",
    [accountId],
  );
  return rows.map(({ action, created_at: createdAt }) => {
    const seconds = Date.parse(String(createdAt)) / 1_000 - NOON / S;
    return action === "a" ? seconds : [action, seconds];
  });
}

describe("another ledger appends behind one that is ahead", () => {
  test.each([
    ["by 4 s", 4, [4, 4]],
    ["by 5 s, the tolerance", 5, [5, 5]],
    ["by more", 5.000001, [5, ["annals.clock", 0], 0]],
    ["by a day", DAY_S, [DAY_S, ["annals.clock", 0], 0]],
  ])("%s", async (_, aheadS, expected) => {
    const [ahead, right] = [openQueue(aheadS), openQueue()];
    const accountId = newAccountId();
    await ahead.queue.submit(append(accountId));
    const stored = await right.queue.submit(append(accountId));
    expect(await timesOf(accountId)).toEqual(expected);
    expect(stored).toMatchObject({ firstSequence: expected.length });
    expect(right.notified).toEqual([BigInt(expected.length)]);
  });
});

test("the record names both times, and one record is enough", async () => {
  const [ahead, right] = [openQueue(DAY_S), openQueue()];
  const accountId = newAccountId();
  await ahead.queue.submit(append(accountId));
  await right.queue.submit(append(accountId));
  right.clock.shiftS = 1;
  await right.queue.submit(append(accountId));
  expect(await timesOf(accountId)).toEqual([DAY_S, ["annals.clock", 0], 0, 1]);
  const [record] = await database.query(
    "SELECT metadata, key_id, actor FROM ledger.events WHERE action = 'annals.clock'",
  );
  expect(record).toEqual({
    actor: '{"id":"ledger","type":"service"}',
    key_id: null,
    metadata:
      '{"difference_us":86400000000,"head_time":"2026-05-11T12:00:00.000000Z","replica_time":"2026-05-10T12:00:00.000000Z"}',
  });
});

test("on a cached head the step takes no further statement", async () => {
  const one = openQueue(DAY_S);
  const accountId = newAccountId();
  await one.queue.submit(append(accountId));
  const locks = await one.ran("ledger.lock-head");
  one.clock.shiftS = 0;
  await one.queue.submit(append(accountId));
  one.clock.shiftS = -3;
  await one.queue.submit(append(accountId));
  expect(await timesOf(accountId)).toEqual([DAY_S, ["annals.clock", 0], 0, 0]);
  expect(await one.ran("ledger.lock-head")).toBe(locks);
});

test("chains that share a transaction step each by itself", async () => {
  const one = openQueue(DAY_S);
  const [stepped, other] = [newAccountId(), newAccountId()];
  await one.queue.submit(append(stepped));
  one.clock.shiftS = 0;
  await one.queue.submit(append(other));
  // Those of the second turn wait for slots, and share a statement.
  await Promise.all(
    [stepped, other, ...Array.from({ length: 8 }, newAccountId)].map((accountId) =>
      one.queue.submit(append(accountId)),
    ),
  );
  expect(await timesOf(stepped)).toEqual([DAY_S, ["annals.clock", 0], 0]);
  expect(await timesOf(other)).toEqual([0, 0]);
});

test("a replay records nothing, and neither does an append that is refused", async () => {
  const [ahead, right] = [openQueue(DAY_S), openQueue()];
  const accountId = newAccountId();
  const keyed = { idempotencyKey: "k" };
  await ahead.queue.submit(append(accountId, keyed));
  expect(await right.queue.submit(append(accountId, keyed))).toMatchObject({ outcome: "replayed" });
  await expect(right.queue.submit(append(accountId, { monthlyQuota: 0 }))).rejects.toMatchObject({
    kind: "plan_quota_exceeded",
  });
  expect(await timesOf(accountId)).toEqual([DAY_S]);
});

test("the record takes nothing of the quota, and a month too early does not give it again", async () => {
  const [ahead, right] = [openQueue(30 * DAY_S), openQueue()];
  const accountId = newAccountId();
  const limited = () => append(accountId, { monthlyQuota: 2 });
  await right.queue.submit(limited());
  await ahead.queue.submit(limited());
  // Both months are one since the step: the events of the wrong one count.
  await right.queue.submit(limited());
  await expect(right.queue.submit(limited())).rejects.toMatchObject({
    kind: "plan_quota_exceeded",
    message: expect.stringContaining("2026-05"),
  });
  expect(await timesOf(accountId)).toEqual([0, 30 * DAY_S, ["annals.clock", 0], 0]);
});

test("a record of the service follows that of the step", async () => {
  const [ahead, right] = [openQueue(DAY_S), openQueue()];
  const accountId = newAccountId();
  await ahead.queue.submit(append(accountId));
  const number = await right.queue.record(accountId, async () => ({
    record: retentionRecord(1),
    act: async (record) => record,
  }));
  expect(number).toBe(3);
  expect(await timesOf(accountId)).toEqual([DAY_S, ["annals.clock", 0], ["annals.retention", 0]]);
});

test("a ledger whose clock is wrong appends nothing, and appends again when it is right", async () => {
  const one = openQueue();
  const accountId = newAccountId();
  await one.queue.submit(append(accountId));
  one.clock.wrong = "the clock is a day ahead";
  const refused = { kind: "unavailable", retryAfterS: 1 };
  await expect(one.queue.submit(append(accountId))).rejects.toMatchObject(refused);
  await expect(
    one.queue.record(accountId, async () => ({ record: retentionRecord(1), act: async () => {} })),
  ).rejects.toMatchObject(refused);
  expect(await timesOf(accountId)).toEqual([0]);
  one.clock.wrong = undefined;
  await one.queue.submit(append(accountId));
  expect(await timesOf(accountId)).toEqual([0, 0]);
});
