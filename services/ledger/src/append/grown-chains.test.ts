// Guarantees, on a controlled clock: a worker that rests runs as soon as a chain is ready, and no sooner;
// none that becomes ready in a run waits for the end of a rest.

import { createLog, REST_MS, startResting } from "@annals/chassis";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { GrownChains, type Work } from "./grown-chains.ts";

const DELAY_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The times of a worker's runs; each takes what is ready. */
function follow(work: Work, during: (grown: GrownChains) => void = () => {}) {
  const grown = new GrownChains();
  const [runs, startedAt] = [[] as number[], Date.now()];
  const loop = startResting({
    name: "test_worker",
    log: createLog({ service: "test", level: "error" }),
    failures: { inc: () => {} },
    delayMs: DELAY_MS,
    run: async () => {
      runs.push(Date.now() - startedAt);
      const taken = work === "index" ? grown.takeFull(10) : grown.take(10);
      during(grown);
      return taken.length > 0 ? DELAY_MS : REST_MS;
    },
  });
  grown.onReady(work, () => loop.expectWork());
  onTestFinished(() => void loop.stop());
  return { grown, runs };
}

const after = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test.each(["index", "trees"] as const)("%s: a chain that is ready ends the rest", async (work) => {
  const { grown, runs } = follow(work);
  await after(100);
  grown.add("acct_1", 255, 4_095);
  await after(100);
  expect(runs).toEqual([0]);
  grown.add("acct_1", 1, 4_096);
  await after(0);
  expect(runs).toEqual([0, 200]);
});

test("a declared field ends the rest of what indexes fields", async () => {
  const { grown, runs } = follow("fields");
  await after(100);
  grown.add("acct_1", 1, 4_096);
  await after(100);
  grown.declare();
  await after(0);
  expect(runs).toEqual([0, 200]);
});

test("an epoch that is near ends the rest of the trees, also if no chain is known", async () => {
  const { grown, runs } = follow("trees");
  await after(100);
  grown.makeReady();
  await after(0);
  expect(runs).toEqual([0, 100]);
});

test("a chain that becomes ready in a run does not wait for the end of the rest", async () => {
  let isFirst = true;
  const { runs } = follow("index", (grown) => {
    if (isFirst) grown.add("acct_1", 1, 4_096);
    isFirst = false;
  });
  await after(DELAY_MS);
  expect(runs).toEqual([0, DELAY_MS]);
});
