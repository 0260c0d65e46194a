// Guarantee: a test of a sink takes a turn of its account as its sinks do, one at a time for an account, so
// tests never take what the sinks of other accounts need. One that gets no turn in time is refused, and may
// be retried.

import { expect, test } from "vitest";
import { SinkSlots, type SinkTurn } from "./sink-slots.ts";
import { SinkTestTurns } from "./sink-test-turns.ts";

const { signal } = new AbortController();
const of = (accountId: string, isBucket = false): SinkTurn => ({
  accountId,
  isBucket,
  operator: null,
});
const done = async () => "done";
const REFUSED = { kind: "rate_limited", retryAfterS: 5 };

/** A piece of work that lasts until it is ended. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test("a test waits for the turns that the account's sinks have", async () => {
  const slots = new SinkSlots();
  const turns = new SinkTestTurns(slots, 20);
  const receiver = held();
  const begun = [1, 2, 3, 4].map(() => slots.run(of("a"), receiver.work, signal));
  await expect(turns.run(of("a"), done, signal)).rejects.toMatchObject(REFUSED);
  expect(await turns.run(of("b"), done, signal)).toBe("done");
  receiver.end();
  await Promise.all(begun);
  expect(await turns.run(of("a"), done, signal)).toBe("done");
});

test("a test of a bucket waits for the one turn of the account's buckets", async () => {
  const slots = new SinkSlots();
  const turns = new SinkTestTurns(slots, 20);
  const bucket = held();
  const begun = slots.run(of("a", true), bucket.work, signal);
  await expect(turns.run(of("a", true), done, signal)).rejects.toMatchObject(REFUSED);
  expect(await turns.run(of("a"), done, signal)).toBe("done");
  bucket.end();
  await begun;
});

test("an account has one test at a time, and one that hangs delays no other account's", async () => {
  const turns = new SinkTestTurns(new SinkSlots(), 20);
  const receiver = held();
  const first = turns.run(of("a"), receiver.work, signal);
  await expect(turns.run(of("a"), done, signal)).rejects.toMatchObject(REFUSED);
  expect(await turns.run(of("b"), done, signal)).toBe("done");
  receiver.end();
  await first;
  expect(await turns.run(of("a"), done, signal)).toBe("done");
});

test("a test that takes longer than the wait goes on", async () => {
  const turns = new SinkTestTurns(new SinkSlots(), 1);
  const receiver = held();
  const testing = turns.run(of("a"), receiver.work, signal);
  await expect(turns.run(of("a"), done, signal)).rejects.toMatchObject(REFUSED);
  receiver.end();
  expect(await testing).toBeUndefined();
});

test("a client that leaves while it waits takes no turn", async () => {
  const slots = new SinkSlots();
  const turns = new SinkTestTurns(slots, 10_000);
  const receiver = held();
  const begun = [1, 2, 3, 4].map(() => slots.run(of("a"), receiver.work, signal));
  const leaving = new AbortController();
  const testing = turns.run(of("a"), done, leaving.signal);
  setImmediate(() => leaving.abort(new Error("gone")));
  await expect(testing).rejects.toThrow("gone");
  receiver.end();
  await Promise.all(begun);
});
