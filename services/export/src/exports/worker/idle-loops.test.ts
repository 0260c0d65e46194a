// Guarantee: of the loops that write exports and have none, one polls, whichever it is; while it writes,
// another one polls, so an export that another replica has queued or left does not wait behind a long one.

import type { Pool } from "@annals/postgres";
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from "vitest";
import { gate, ledger, TestExports } from "../../testing/test-exports.ts";

const LOOPS = 4;
const POLL_MS = 1_000;
const MINUTE_MS = 60_000;

let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(inject("stack").databaseUrl);
});
afterEach(() => exports.reset());
afterAll(() => exports.close());

test("four loops poll as often as one", async () => {
  vi.useFakeTimers();
  let polls = 0;
  const database: Pool = {
    ...exports.pool,
    run: async () => {
      polls += 1;
      return [];
    },
  };
  const options = { concurrency: LOOPS, database, pollIntervalMs: POLL_MS };
  const { worker } = exports.work(ledger(), options);
  await vi.advanceTimersByTimeAsync(0);
  expect(polls).toBe(LOOPS);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  worker.wake("exp_of_another_loop");
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(polls).toBe(2 * LOOPS + (2 * MINUTE_MS) / POLL_MS);
  await worker.stop();
  vi.useRealTimers();
});

test("while loops write, another one finds what nobody has announced", async () => {
  const held = gate();
  exports.work(
    ledger(() => held.promise),
    { concurrency: LOOPS },
  );
  const ids: string[] = [];
  for (let account = 0; account < LOOPS; account += 1) {
    const id = await exports.queue(`acct_${account}`);
    await exports.reached(id, "running");
    ids.push(id);
  }
  const jobs = await Promise.all(ids.map((id) => exports.job(id)));
  expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(["running"]));
  held.resolve();
});
