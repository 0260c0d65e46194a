// Guarantees, on a controlled clock: a resting worker runs as soon as work is announced; while it has work,
// its runs are one delay apart, however often work is announced; work that is announced during a run does not
// wait for the end of the rest that follows; and a worker may rest until work is announced.

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { REST_MS, type RestingLoop, startResting } from "./resting-loop.ts";

const DELAY_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A worker that does the announced work, and the times of its runs. */
function start(restMs: number, during: (loop: RestingLoop) => void = () => {}) {
  const [runs, startedAt] = [[] as number[], Date.now()];
  let announced = 0;
  const loop = startResting({
    name: "test_worker",
    log: createLog({ service: "test", level: "error" }),
    failures: { inc: () => {} },
    delayMs: DELAY_MS,
    run: async () => {
      runs.push(Date.now() - startedAt);
      const found = announced;
      announced = 0;
      during(loop);
      return found > 0 ? DELAY_MS : restMs;
    },
  });
  onTestFinished(() => void loop.stop());
  const announce = (): void => {
    announced += 1;
    loop.expectWork();
  };
  return { announce, loop, runs };
}

test("work ends a rest at once", async () => {
  const { announce, runs } = start(REST_MS);
  await after(100);
  announce();
  await after(0);
  expect(runs).toEqual([0, 100]);
});

test("while there is work, runs are a delay apart", async () => {
  const { announce, runs } = start(REST_MS);
  for (let n = 0; n < 10; n += 1) {
    await after(100);
    announce();
  }
  await after(REST_MS);
  expect(runs).toEqual([0, 100, 1_100, 2_100]);
});

test("work that is announced during a run does not wait for the end of the rest", async () => {
  let isFirst = true;
  const { runs } = start(REST_MS, (loop) => {
    if (isFirst) loop.expectWork();
    isFirst = false;
  });
  await after(REST_MS);
  expect(runs).toEqual([0, DELAY_MS]);
});

test("without work it runs once in a rest, or only when work is announced", async () => {
  const [resting, silent] = [start(REST_MS), start(Infinity)];
  await after(4 * REST_MS);
  expect(resting.runs).toEqual([0, REST_MS, 2 * REST_MS, 3 * REST_MS, 4 * REST_MS]);
  expect(silent.runs).toEqual([0]);
  silent.announce();
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
