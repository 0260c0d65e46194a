// Guarantee, on a controlled clock: while an installation has no webhook and no sink, the workers of a
// dispatcher that look for them run a few statements a minute, and wake its process as rarely. One that this
// process has created ends the rest at once.

import { createRegistry } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Checkpoints } from "./deliveries/worker/checkpoints.ts";
import { NegativeSubscriptionCache } from "./deliveries/worker/negative-subscription-cache.ts";
import { startSweep } from "./deliveries/worker/sweep.ts";
import { createMetrics } from "./metrics.ts";
import { Sinks } from "./sinks/worker/sinks.ts";
import { log, newReplicaWith } from "./testing/dispatcher.ts";
import { FakeProducers } from "./testing/fake-producers.ts";

const MINUTE_MS = 60_000;
const INTERVAL_MS = 2_000;
const ACCOUNT = "acct_1";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A database that has nothing but what the test puts into it, by the names of statements. */
function newDatabase() {
  const rows: Record<string, object[]> = {};
  const asked = new Map<string, number>();
  const pool: Pool = {
    run: async <Found>({ name }: { readonly name: string }) => {
      asked.set(name, (asked.get(name) ?? 0) + 1);
      return (rows[name] ?? []) as Found[];
    },
    transaction: () => Promise.reject(new Error("there is nothing to do")),
    forAccount: () => pool,
    close: async () => {},
  };
  /** How often each statement ran meanwhile. */
  const during = async (ms: number) => {
    asked.clear();
    await vi.advanceTimersByTimeAsync(ms);
    return Object.fromEntries(asked);
  };
  return { during, pool, rows };
}

function started() {
  const { during, pool, rows } = newDatabase();
  const metrics = createMetrics(createRegistry("test"));
  const producers = new FakeProducers();
  const sender = {
    send: () => Promise.reject(new Error("there is nothing to send")),
    abandon: () => {},
  };
  const { engine, fanOut } = newReplicaWith(sender, pool, { producers });
  engine.start();
  const shared = { database: pool, fanOut, log, metrics, producers, intervalMs: INTERVAL_MS };
  const checkpoints = new Checkpoints(shared);
  const sinks = new Sinks({
    ...shared,
    clock: { nowMicros: () => 0, nowText: () => "" },
    keys: { open: () => "" },
    ledger: { streamEvents: () => [] as never },
    monotonicMs: () => performance.now(),
    now: () => "",
    openReceiver: () => ({}) as never,
    operatorSinks: new Map(),
  });
  const sweep = startSweep(shared);
  const loops = { checkpoints: checkpoints.start(), sinks: sinks.start(), sweep };
  onTestFinished(() => {
    void engine.stop(0);
    void fanOut.stop();
    for (const loop of Object.values(loops)) void loop.stop();
  });
  return { checkpoints, during, engine, fanOut, loops, producers, rows };
}

/** Returns what stops the count and has it. A spy would be restored to the fake function after the test. */
function countTimers(): () => number {
  const begin = globalThis.setTimeout;
  let count = 0;
  const counted = (...given: Parameters<typeof begin>) => {
    count += 1;
    return begin(...given);
  };
  globalThis.setTimeout = Object.assign(counted, begin);
  return () => {
    globalThis.setTimeout = begin;
    return count;
  };
}

test("without webhooks and sinks, a minute has few statements and few timers", async () => {
  const { during, producers } = started();
  await during(MINUTE_MS);
  const asks = producers.checkpointReads.length;
  const timers = countTimers();
  const asked = await during(MINUTE_MS);
  const begun = timers();
  expect(asked).toEqual({
    "webhooks.find-due-webhooks": 30,
    "webhooks.list-subscribed-accounts": 4,
    "webhooks.list-sinks-at-work": 4,
    "webhooks.count-paused-sinks": 4,
  });
  expect(producers.checkpointReads.length - asks).toBe(4);
  expect(begun).toBe(42);
});

test("what this process has created ends each rest, and is then looked at as often as before", async () => {
  const { checkpoints, during, engine, loops, producers, rows } = started();
  await during(MINUTE_MS);
  rows["webhooks.find-due-webhooks"] = [{ account_id: ACCOUNT, webhook_id: "wh_1", due_at: null }];
  rows["webhooks.list-subscribed-accounts"] = [
    { account_id: ACCOUNT, events: "0", verifications: null, exports: null },
  ];
  rows["webhooks.list-checkpoint-subscribers"] = [{ account_id: ACCOUNT, position: "0" }];
  rows["webhooks.list-sinks-at-work"] = [{ account_id: ACCOUNT, id: "sink_1", cursor: "0" }];
  producers.closeEpoch();
  engine.notify(ACCOUNT, ["wh_1"]);
  checkpoints.expectSubscriber();
  loops.sinks.expectWork();
  loops.sweep.expectWork();
  expect(await during(0)).toMatchObject({
    "webhooks.claim-deliveries": 1,
    "webhooks.list-checkpoint-subscribers": 1,
    "webhooks.list-sinks-at-work": 1,
    "webhooks.list-subscribed-accounts": 1,
  });
  expect(await during(250)).toEqual({ "webhooks.find-due-webhooks": 1 });
  const asks = producers.checkpointReads.length;
  expect(await during(MINUTE_MS)).toMatchObject({
    "webhooks.find-due-webhooks": 240,
    "webhooks.list-sinks-at-work": 30,
    "webhooks.list-subscribed-accounts": 30,
  });
  expect(producers.checkpointReads.length - asks).toBe(30);
});

test("an account without subscribers costs a timer until it is quiet", async () => {
  const cache = new NegativeSubscriptionCache({
    database: newDatabase().pool,
    log,
    metrics: createMetrics(createRegistry("test")),
    onSubscribed: () => {},
  });
  onTestFinished(() => cache.stop());
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(vi.getTimerCount()).toBe(0);
  cache.add("events", ACCOUNT);
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.keeps({ kind: "events", accountId: ACCOUNT, position: 1n })).toBe(true);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(cache.keeps({ kind: "events", accountId: ACCOUNT, position: 2n })).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
