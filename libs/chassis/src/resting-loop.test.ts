// Guarantees, on a controlled clock: a worker that rests runs as soon as it is told of work; while it has
// work its runs are a delay apart, however often it is told; what it is told of in a run does not wait for
// the end of a rest; and a worker that nothing wakes may rest until then.

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { REST_MS, type RestingLoop, startResting } from "./resting-loop.ts";

const DELAY_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A worker that works on what it was told of, and the times of its runs. */
function start(restMs: number, during: (loop: RestingLoop) => void = () => {}) {
  const [runs, startedAt] = [[] as number[], Date.now()];
  let told = 0;
  const loop = startResting({
    name: "test_worker",
    log: createLog({ service: "test", level: "error" }),
    failures: { inc: () => {} },
    delayMs: DELAY_MS,
    run: async () => {
      runs.push(Date.now() - startedAt);
      const found = told;
      told = 0;
      during(loop);
      return found > 0 ? DELAY_MS : restMs;
    },
  });
  onTestFinished(() => void loop.stop());
  const tell = (): void => {
    told += 1;
    loop.expectWork();
  };
  return { loop, runs, tell };
}

test("work ends a rest at once", async () => {
  const { runs, tell } = start(REST_MS);
  await after(100);
  tell();
  await after(0);
  expect(runs).toEqual([0, 100]);
});

test("while there is work, runs are a delay apart", async () => {
  const { runs, tell } = start(REST_MS);
  for (let told = 0; told < 10; told += 1) {
    await after(100);
    tell();
  }
  await after(REST_MS);
  expect(runs).toEqual([0, 100, 1_100, 2_100]);
});

test("what it is told of in a run does not wait for the end of the rest", async () => {
  let isFirst = true;
  const { runs } = start(REST_MS, (loop) => {
    if (isFirst) loop.expectWork();
    isFirst = false;
  });
  await after(REST_MS);
  expect(runs).toEqual([0, DELAY_MS]);
});

test("without work it runs once in a rest, or only when it is told", async () => {
  const [resting, silent] = [start(REST_MS), start(Infinity)];
  await after(4 * REST_MS);
  expect(resting.runs).toEqual([0, REST_MS, 2 * REST_MS, 3 * REST_MS, 4 * REST_MS]);
  expect(silent.runs).toEqual([0]);
  silent.tell();
  await after(0);
  expect(silent.runs).toEqual([0, 4 * REST_MS]);
});

test("it can be stopped while it rests", async () => {
  const { loop, runs } = start(Infinity);
  await after(0);
  await loop.stop();
  loop.expectWork();
  await after(REST_MS);
  expect(runs).toEqual([0]);
});
