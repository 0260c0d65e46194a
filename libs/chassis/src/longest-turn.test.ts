// Guarantee: the longest turn of the event loop is what one turn takes in CPU time: not what many short ones
// take together, nor how long the machine let the process wait. The metric has that of this process.

import { expect, test } from "vitest";
import { LongestTurn, SAMPLE_MS, watchTurns } from "./longest-turn.ts";
import { createRegistry } from "./metrics.ts";

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
  const longest = async () => {
    const text = await registry.getSingleMetricAsString(
      "annals_event_loop_longest_turn_cpu_seconds",
    );
    return Number(/^annals\S* (\S+)$/m.exec(text)?.[1]);
  };
  const begun = process.threadCpuUsage().user;
  while (process.threadCpuUsage().user - begun < 100_000);
  await expect.poll(longest).toBeGreaterThanOrEqual(0.1);
  stop();
});
