// Guarantee: the longest turn of the event loop is what one turn takes in CPU time: not what many short ones
// take together, nor how long the machine let the process wait. The metric has that of this process, and
// neither it nor the monitor of the loop wakes a process often.

import { execFile } from "node:child_process";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { LongestTurn, SAMPLE_MS, watchTurns } from "./longest-turn.ts";
import { createRegistry } from "./metrics.ts";

/** Ends the process that would go on. */
const MOST_MS = 30_000;

test("a sample that is late shows a turn, and its CPU time is that of the turn", () => {
  const turns = new LongestTurn({ elapsedMs: 0, cpuMs: 0 });
  // Busy, and never late.
  for (let at = 1; at <= 10; at += 1)
    turns.sample({ elapsedMs: at * SAMPLE_MS, cpuMs: at * SAMPLE_MS });
  expect(turns.longestMs).toBe(0);
  const [elapsedMs, cpuMs] = [10 * SAMPLE_MS, 10 * SAMPLE_MS];
  // The machine had no time for the process.
  turns.sample({ elapsedMs: elapsedMs + 500, cpuMs: cpuMs + 3 });
  expect(turns.longestMs).toBe(3);
  turns.sample({ elapsedMs: elapsedMs + 1_000, cpuMs: cpuMs + 203 });
  turns.sample({ elapsedMs: elapsedMs + 1_100, cpuMs: cpuMs + 260 });
  expect(turns.longestMs).toBe(200);
});

test("the metric has a turn of this process that takes CPU time", async () => {
  const registry = createRegistry("test");
  const stop = watchTurns(registry);
  const longest = async (since: "start" | "scrape") => {
    const text = await registry.getSingleMetricAsString(
      "annals_event_loop_longest_turn_cpu_seconds",
    );
    return Number(new RegExp(`since="${since}".* (\\S+)$`, "mu").exec(text)?.[1]);
  };
  const busy = () => {
    const begun = process.threadCpuUsage().user;
    while (process.threadCpuUsage().user - begun < 100_000);
  };
  busy();
  await expect.poll(() => longest("start")).toBeGreaterThanOrEqual(0.1);
  // That scrape may have been the one with it.
  await longest("scrape");
  expect(await longest("scrape")).toBeLessThan(0.1);
  busy();
  await turn();
  expect(await longest("scrape")).toBeGreaterThanOrEqual(0.1);
  stop();
});

test("a few turns behind a sample set no timer, and many do", async () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const stop = watchTurns(createRegistry("test"));
  for (let turns = 0; turns < 10; turns += 1) await turn();
  const few = timers.mock.calls.length;
  while (timers.mock.calls.length === 0) await turn();
  stop();
  timers.mockRestore();
  expect(few).toBe(0);
});

test(
  "an idle process is seldom woken, and ends",
  async () => {
    const idle = `
    import { createRegistry } from ${JSON.stringify(new URL("metrics.ts", import.meta.url))};
    import { watchTurns } from ${JSON.stringify(new URL("longest-turn.ts", import.meta.url))};
    watchTurns(createRegistry("test"));
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    setTimeout(() => console.log(performance.nodeTiming.uvMetricsInfo.loopCount - loopCount), 300);
  `;
    const given = ["-C", "source", "--input-type=module", "-e", idle];
    const { stdout } = await promisify(execFile)(process.execPath, given, { timeout: MOST_MS });
    // The monitor of the loop wakes it three times. Looks every 20 ms would be 15, every 10 ms 30.
    expect(Number(stdout)).toBeLessThan(12);
  },
  MOST_MS + 5_000,
);
