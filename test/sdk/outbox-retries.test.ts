// Guarantee: an outbox whose attempts fail says so, such as with a wrong password of its database, unless the
// application listens to its retries.

import { Outbox, type OutboxOptions } from "@annals/sdk/outbox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** Long enough for five attempts, and too short for fifteen, however they are spread. */
const MS = 30_000;
const fails = () => Promise.reject(new Error("the password is wrong"));
const pool = { query: fails, connect: fails };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Runs an outbox for some time. Resolves to what it has logged. */
async function logged(options: Partial<OutboxOptions>): Promise<unknown[][]> {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const stop = new AbortController();
  const running = new Outbox({ annals: { storeBatch: fails }, pool, ...options }).run(stop.signal);
  await vi.advanceTimersByTimeAsync(MS);
  stop.abort();
  await running;
  return warn.mock.calls;
}

test("by default it is logged, and not each time", async () => {
  expect(await logged({})).toEqual([[expect.stringContaining("the password is wrong")]]);
});

test("an application that listens is told, and nothing is logged", async () => {
  const attempts: number[] = [];
  expect(await logged({ onRetry: ({ attempt }) => attempts.push(attempt) })).toEqual([]);
  expect(attempts.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
});
