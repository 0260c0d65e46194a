// Guarantees of the loop, on a controlled clock: runs follow each other with the delay between them and never
// overlap; a run may choose its own delay; a wake is never lost and many make one run; failures are counted,
// logged and retried with a bounded backoff that a wake does not shorten; stop awaits the run under way. Work
// in pieces goes on until a piece is short or it is stopped.

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { FIRST_BACKOFF_MS, inPieces, type LoopOptions, MAX_BACKOFF_MS, startLoop } from "./loop.ts";
import { Counter, Registry } from "./metrics.ts";

const DELAY_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A loop and the times at which its runs began, from its start on. */
function start(given: Partial<LoopOptions> = {}) {
  const failures = new Counter({
    name: "failures",
    help: "of the test",
    labelNames: ["worker"],
    registers: [new Registry()],
  });
  const lines: string[] = [];
  const log = createLog({ service: "x", level: "info" }, { write: (line) => lines.push(line) });
  const begins: number[] = [];
  const startedAt = Date.now();
  const loop = startLoop({
    name: "test_worker",
    log,
    failures,
    delayMs: DELAY_MS,
    random: () => 1,
    ...given,
    run: async (signal) => {
      begins.push(Date.now() - startedAt);
      return given.run?.(signal);
    },
  });
  onTestFinished(() => void loop.stop());
  const failed = async () => (await failures.get()).values;
  return { begins, failed, lines: () => lines.map((line) => JSON.parse(line)), loop };
}

/** A run that ends when the test says so. */
function heldRun() {
  const held: PromiseWithResolvers<number | void>[] = [];
  const run = (): Promise<number | void> => {
    held.push(Promise.withResolvers());
    return held.at(-1)!.promise;
  };
  const end = (delayMs?: number): void => held.at(-1)?.resolve(delayMs);
  return { run, end, fail: () => held.at(-1)?.reject(new Error("broken")) };
}

test("the first run begins at once, each further one the delay after the end of the one before", async () => {
  const { begins } = start({ run: () => new Promise((resolve) => setTimeout(resolve, 300)) });
  await after(0);
  expect(begins).toStrictEqual([0]);
  await after(2_600);
  expect(begins).toStrictEqual([0, 1_300, 2_600]);
});

test("the first run waits for the initial delay, and a wake ends that", async () => {
  const waits = start({ initialDelayMs: 400 });
  const woken = start({ initialDelayMs: 400 });
  await after(100);
  woken.loop.wake();
  await after(300);
  expect(waits.begins).toStrictEqual([400]);
  expect(woken.begins).toStrictEqual([100]);
});

test("runs never overlap, however often the loop is woken", async () => {
  const held = heldRun();
  const { begins, loop } = start(held);
  loop.wake();
  await after(10 * DELAY_MS);
  loop.wake();
  await after(10 * DELAY_MS);
  expect(begins).toHaveLength(1);
});

test("a run chooses its own delay: shorter, longer, or none", async () => {
  const delays = [200, 3_000, 0, undefined];
  const { begins } = start({ run: async () => delays.shift() });
  await after(4_200);
  expect(begins).toStrictEqual([0, 200, 3_200, 3_200, 4_200]);
});

test("a wake ends the delay at once", async () => {
  const { begins, loop } = start();
  await after(100);
  loop.wake();
  await after(0);
  expect(begins).toStrictEqual([0, 100]);
  await after(DELAY_MS);
  expect(begins).toStrictEqual([0, 100, 1_100]);
});

test("wakes during a run are kept, and make one more run", async () => {
  const held = heldRun();
  const { begins, loop } = start(held);
  await after(50);
  loop.wake();
  loop.wake();
  held.end();
  await after(0);
  expect(begins).toStrictEqual([0, 50]);
  held.end();
  await after(DELAY_MS - 1);
  expect(begins).toStrictEqual([0, 50]);
});

test("a failed run is counted, logged once, and does not end the loop", async () => {
  const results = [
    () => Promise.reject(new Error("no database")),
    (): never => {
      throw new Error("thrown at once");
    },
  ];
  const { begins, failed, lines } = start({ run: () => results.shift()?.() ?? Promise.resolve() });
  await after(2 * MAX_BACKOFF_MS);
  expect(begins.length).toBeGreaterThan(3);
  expect(await failed()).toMatchObject([{ labels: { worker: "test_worker" }, value: 2 }]);
  expect(lines()).toMatchObject([
    { level: "warn", msg: "background work failed", worker: "test_worker" },
    { msg: "background work failed", err: { message: "thrown at once" } },
  ]);
});

test("the backoff doubles up to its bound, and starts again after a run that succeeds", async () => {
  let isBroken = true;
  const { begins } = start({
    delayMs: 100,
    maxBackoffMs: 1_500,
    run: () => (isBroken ? Promise.reject(new Error("broken")) : Promise.resolve()),
  });
  await after(250 + 500 + 1_000 + 1_500 + 1_499);
  expect(begins).toStrictEqual([0, 250, 750, 1_750, 3_250]);
  isBroken = false;
  await after(1);
  isBroken = true;
  await after(100 + 250);
  expect(begins.slice(5)).toStrictEqual([4_750, 4_850, 5_100]);
});

test("without a bound of its own the backoff ends at the common bound", async () => {
  const { begins } = start({ run: () => Promise.reject(new Error("broken")) });
  await after(60_000);
  expect(begins.at(-1)! - begins.at(-2)!).toBe(MAX_BACKOFF_MS);
});

test("jitter takes up to half of the backoff", async () => {
  const { begins } = start({ random: () => 0, run: () => Promise.reject(new Error("broken")) });
  await after(FIRST_BACKOFF_MS / 2);
  expect(begins).toStrictEqual([0, FIRST_BACKOFF_MS / 2]);
});

test("a wake does not shorten the backoff, and the next run follows it", async () => {
  const held = heldRun();
  const { begins, loop } = start(held);
  await after(0);
  loop.wake();
  held.fail();
  await after(10);
  loop.wake();
  await after(FIRST_BACKOFF_MS - 11);
  expect(begins).toStrictEqual([0]);
  await after(1);
  expect(begins).toStrictEqual([0, FIRST_BACKOFF_MS]);
});

test.for(["delay", "backoff", "initial delay"])("stop ends the %s at once", async (wait) => {
  const { begins, loop } = start({
    ...(wait === "initial delay" && { initialDelayMs: 500 }),
    ...(wait === "backoff" && { run: () => Promise.reject(new Error("broken")) }),
  });
  await after(1);
  const before = begins.length;
  await loop.stop();
  expect(vi.getTimerCount()).toBe(0);
  await after(10 * MAX_BACKOFF_MS);
  expect(begins).toHaveLength(before);
});

test("stop aborts the signal, and awaits the run under way", async () => {
  const held = heldRun();
  const signals: AbortSignal[] = [];
  const { begins, loop } = start({
    run: (signal) => {
      signals.push(signal);
      return held.run();
    },
  });
  await after(0);
  expect(signals[0]?.aborted).toBe(false);
  let isStopped = false;
  const stopped = loop.stop().then(() => (isStopped = true));
  loop.wake();
  await after(DELAY_MS);
  expect(signals[0]?.aborted).toBe(true);
  expect(isStopped).toBe(false);
  held.end(0);
  await stopped;
  await loop.stop();
  expect(begins).toHaveLength(1);
});

test("what a run rejects with after stop is no failure", async () => {
  const { failed, lines, loop } = start({
    run: (signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      ),
  });
  await after(0);
  await loop.stop();
  expect(await failed()).toStrictEqual([]);
  expect(lines()).toStrictEqual([]);
});

test("pieces follow each other until one is short, and none begins after the stop", async () => {
  const SIZE = 3;
  const done = async (sizes: number[], signal?: AbortSignal): Promise<number> => {
    const all = sizes.length;
    await inPieces(SIZE, async () => sizes.shift() ?? expect.unreachable(), signal);
    return all - sizes.length;
  };
  expect(await done([2, 9])).toBe(1);
  expect(await done([0, 9])).toBe(1);
  expect(await done([SIZE, SIZE, 1, 9])).toBe(3);
  expect(await done([SIZE], AbortSignal.abort())).toBe(0);
});
