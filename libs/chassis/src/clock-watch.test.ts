// Guarantee: a process is ready only while its clock agrees with the one that it is compared with, from its
// start on. While both agree it asks now and then; once anyone finds that they differ, it asks at once, and
// then each second. A comparison that fails ends nothing. Each change of the state is logged once.

import { ComparedClock, formatMicros } from "@annals/contract";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { watchClock } from "./clock-watch.ts";
import { createLog } from "./log.ts";
import { createRegistry, workerFailures } from "./metrics.ts";
import { Closers } from "./run.ts";

const START = Date.UTC(2026, 4, 3, 12) * 1_000;
const S = 1_000_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nextComparison = () => vi.advanceTimersByTimeAsync(1_000);

async function watch({ isAway = false, aheadS = 0 } = {}) {
  const state = { aheadS, isAway, compared: 0, otherAheadS: 0 };
  const nowMicros = () => START + state.aheadS * S;
  const clock = new ComparedClock({ nowMicros, nowText: () => formatMicros(nowMicros()) }, () => 0);
  const compare = async () => {
    const end = clock.begin();
    state.compared += 1;
    if (state.isAway) throw new Error("the database is away");
    end(START + state.otherAheadS * S);
  };
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { service: "test", level: "info" },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const registry = createRegistry("test");
  const closers = new Closers();
  const failures = workerFailures(registry);
  const check = await watchClock(clock, { closers, compare, failures, log, registry });
  onTestFinished(() => closers.closeAll(log));
  const offset = async () =>
    /^annals_clock_offset_seconds\S* (\S+)$/mu.exec(await registry.metrics())?.[1];
  return { check, lines: () => lines.map(({ msg }) => msg), offset, state };
}

test("it is ready while both agree, and not before it is known", async () => {
  const right = await watch();
  expect(await right.check()).toBeUndefined();
  const unknown = await watch({ isAway: true });
  expect(await unknown.check()).toMatch(/has not been compared/u);
  unknown.state.isAway = false;
  await nextComparison();
  expect(await unknown.check()).toBeUndefined();
});

test("it is not ready at its start if its clock is wrong", async () => {
  const wrong = await watch({ aheadS: 6 });
  expect(await wrong.check()).toMatch(/6\.0 s ahead of the database's/u);
});

test("a step is seen at once, logged once, and so is its end", async () => {
  const { check, lines, offset, state } = await watch();
  state.aheadS = 86_400;
  expect(await check()).toMatch(/86400\.0 s ahead/u);
  await nextComparison();
  await nextComparison();
  expect(lines()).toEqual(["the clock is wrong: nothing is appended or deleted"]);
  expect(await offset()).toBe("86400");
  state.aheadS = 0;
  expect(await check()).toBeUndefined();
  await nextComparison();
  expect(lines().at(-1)).toBe("the clock is right again");
  expect(lines()).toHaveLength(2);
});

test("while both agree it asks now and then, and each second while they differ", async () => {
  const { check, state } = await watch();
  const inAMinute = async () => {
    const before = state.compared;
    await vi.advanceTimersByTimeAsync(60_000);
    return state.compared - before;
  };
  expect(await inAMinute()).toBeLessThanOrEqual(13);
  state.aheadS = 60;
  await check();
  expect(await inAMinute()).toBeGreaterThanOrEqual(60);
  state.aheadS = 0;
  await inAMinute();
  expect(await inAMinute()).toBeLessThanOrEqual(13);
});

test("both have moved, as behind a suspended machine: who asks first makes it ask", async () => {
  const { check, state } = await watch();
  await vi.advanceTimersByTimeAsync(60_000);
  [state.aheadS, state.otherAheadS] = [3_600, 3_600];
  expect(await check()).toMatch(/3600\.0 s ahead/u);
  await vi.advanceTimersByTimeAsync(0);
  expect(await check()).toBeUndefined();
});
