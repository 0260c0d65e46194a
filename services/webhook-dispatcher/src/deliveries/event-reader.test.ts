// Guarantee: what many deliveries of an account ask at once is read together, each event once, in as many
// reads as their bytes need. What is held is bounded in bytes, in all and of one account, and in its age. A
// failed read is an error and never an absent event.

import { expect, test } from "vitest";
import { EventCache } from "./event-cache.ts";
import { EventReader } from "./event-reader.ts";
import type { ReadEvents } from "../outbound/producers.ts";

const DATA = '{"a":1}';

/** A chain of `last` events, of which one answer holds `perRead`. */
function newReader(last = 1_000, perRead = 1_000) {
  const reads: number[][] = [];
  let failures = 0;
  const events = async (_accountId: string, positions: readonly bigint[]): Promise<ReadEvents> => {
    reads.push(positions.map(Number));
    if (failures-- > 0) throw new Error("away");
    const found = positions.filter((position) => position <= BigInt(last));
    return {
      events: found.slice(0, perRead).map((position) => [position, DATA]),
      hasMore: found.length > perRead,
    };
  };
  let now = 0;
  const bounds = { maxBytes: 1_000, maxAccountBytes: 1_000, maxAgeMs: 10_000 };
  const reader = new EventReader({ events }, bounds, () => now);
  const read = (positions: readonly number[], accountId = "acct_1") =>
    Promise.all(positions.map((position) => reader.read(accountId, BigInt(position))));
  const later = (ms: number) => void (now += ms);
  return { fail: (times: number) => (failures = times), later, read, reader, reads };
}

test("one read for all, each event once, and none again while it is held", async () => {
  const { read, reads } = newReader();
  expect((await read([3, 1, 2, 3, 3])).map(String)).toEqual(Array.from({ length: 5 }, () => DATA));
  await read([1, 2, 3]);
  expect(reads).toEqual([[1, 2, 3]]);
  await read([1], "acct_2");
  expect(reads).toEqual([[1, 2, 3], [1]]);
});

test("an event that was read ten seconds ago is read again, however often it was sent", async () => {
  const { later, read, reader, reads } = newReader();
  await read([1]);
  reader.keep("acct_1", [[2n, DATA]], -1);
  later(9_999);
  await read([1, 2]);
  expect(reads).toEqual([[1], [2]]);
  later(1);
  await read([1, 2]);
  expect(reads).toEqual([[1], [2], [1]]);
});

test("what an answer left out for its bytes comes with the next", async () => {
  const { read, reads } = newReader(1_000, 2);
  expect(await read([1, 2, 3, 4, 5])).toHaveLength(5);
  expect(reads).toEqual([[1, 2, 3, 4, 5], [3, 4, 5], [5]]);
});

test("what the chain does not have is undefined", async () => {
  const { read } = newReader(2);
  expect(await read([1, 3])).toEqual([Buffer.from(DATA), undefined]);
});

test("a failed read rejects for all of it, and the next asks again", async () => {
  const { fail, read, reads } = newReader();
  fail(1);
  const settled = await Promise.allSettled([read([1]), read([2])]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await read([1])).toHaveLength(1);
  expect(reads).toEqual([[1, 2], [1]]);
});

test("the bytes of an account are bounded, and those of all; the oldest go first", () => {
  const cache = new EventCache({ maxBytes: 100, maxAccountBytes: 40, maxAgeMs: 1 }, () => 0);
  const kept = (size: number) => ({ data: Buffer.alloc(size), readAt: 0 });
  const body = kept(20);
  for (let n = 1n; n <= 3n; n++) cache.set("a", n, body);
  expect(cache.bytes).toBe(40);
  expect([1n, 2n, 3n].map((n) => cache.get("a", n) !== undefined)).toEqual([false, true, true]);
  for (const account of ["b", "c", "d"]) for (const n of [1n, 2n]) cache.set(account, n, body);
  expect(cache.bytes).toBe(100);
  // Of the account that was used longest ago, the oldest first.
  expect(cache.get("a", 2n)).toBeUndefined();
  expect(cache.get("d", 2n)).toBeDefined();
  cache.set("e", 1n, kept(41));
  expect(cache.get("e", 1n)).toBeUndefined();
  cache.set("d", 2n, body);
  expect(cache.bytes).toBe(100);
});
