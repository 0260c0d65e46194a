// Guarantee: an account tests one sink at a time, whichever of them, and whichever dispatchers its requests
// come to; no other account waits for it. A test whose process ended delays the next one for less than a
// minute, and its late end frees no other.

import { expect, onTestFinished, test } from "vitest";
import type { SinkStatusRow } from "../store/sink-row.ts";
import { findSink } from "../store/find-sink.ts";
import { beginSinkTest, endSinkTest } from "../store/sink-tests.ts";
import { newAccountId } from "../../testing/dispatcher.ts";
import { newSinkWorld } from "../../testing/sink-world.ts";

const LEASE_S = 45;
const { signal } = new AbortController();
const REFUSED = { kind: "rate_limited", retryAfterS: 5 };

async function begin() {
  const world = await newSinkWorld();
  const row = async (given: { readonly accountId: string; readonly id: string }) => {
    const [found] = await world.pool.run(findSink, [given.accountId, given.id]);
    return found as SinkStatusRow;
  };
  const accountId = newAccountId();
  const of = async (account = accountId) => row(await world.create({ accountId: account }));
  const replicas = [world.replica(), world.replica()] as const;
  onTestFinished(async () => {
    for (const replica of replicas) await replica.stop();
  });
  return { ...world, accountId, of, replicas };
}

test("two dispatchers test no two sinks of an account at once, and each account by itself", async () => {
  const { of, receivers, replicas } = await begin();
  const [one, other, foreign] = [await of(), await of(), await of(newAccountId())];
  const { promise: begun, resolve: isSent } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<{ outcome: "accepted" }>();
  receivers.answer = ({ options }) => {
    if (options.sinkId !== one.id) return { outcome: "accepted" };
    isSent();
    return answered;
  };
  const first = replicas[0].test(one, signal);
  await begun;
  await expect(replicas[1].test(other, signal)).rejects.toMatchObject(REFUSED);
  await expect(replicas[1].test(one, signal)).rejects.toMatchObject(REFUSED);
  expect(await replicas[1].test(foreign, signal)).toEqual({ success: true });
  answer({ outcome: "accepted" });
  expect(await first).toEqual({ success: true });
  expect(await replicas[1].test(other, signal)).toEqual({ success: true });
});

test("a test that fails lets the next one begin", async () => {
  const { of, receivers, replicas } = await begin();
  const sink = await of();
  receivers.answer = () => Promise.reject(new Error("a fault"));
  await expect(replicas[0].test(sink, signal)).rejects.toThrow("a fault");
  receivers.answer = () => ({ outcome: "accepted" });
  expect(await replicas[1].test(sink, signal)).toEqual({ success: true });
});

test("that of a process that was killed ends with its time, and its late end frees no other", async () => {
  const { accountId, deps, of, pass, pool, replicas } = await begin();
  const sink = await of();
  const beginOne = () => pool.run(beginSinkTest, [deps.now(), accountId, LEASE_S]);
  const [killed] = await beginOne();
  pass(LEASE_S - 1);
  await expect(replicas[0].test(sink, signal)).rejects.toMatchObject(REFUSED);
  pass(1);
  const [next] = await beginOne();
  expect(next?.fence).toBe("2");
  await pool.run(endSinkTest, [accountId, killed?.fence ?? ""]);
  await expect(replicas[0].test(sink, signal)).rejects.toMatchObject(REFUSED);
  await pool.run(endSinkTest, [accountId, next?.fence ?? ""]);
  expect(await replicas[0].test(sink, signal)).toEqual({ success: true });
});
