// Guarantee: a gauge has a value only while it can be measured, and measuring takes a small part of the time.

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { startMeasuring } from "./measuring.ts";
import { Gauge, Registry, workerFailures } from "./metrics.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a gauge is absent until it is measured, and while the measurement fails", async () => {
  const registry = new Registry();
  const registers = [registry];
  const plain = new Gauge({ name: "plain", help: "x", registers });
  const labelled = new Gauge({ name: "labelled", help: "x", labelNames: ["state"], registers });
  const measure = vi.fn<() => Promise<void>>(async () => {
    plain.set(7);
    labelled.set({ state: "a" }, 8);
  });
  const loop = startMeasuring({
    name: "measuring",
    log: createLog({ service: "x", level: "error" }, { write: () => {} }),
    failures: workerFailures(new Registry()),
    delayMs: 1_000,
    gauges: [plain, labelled],
    measure,
  });
  onTestFinished(() => loop.stop());
  const samples = async () =>
    (await registry.metrics()).split("\n").filter((line) => /^\w/.test(line));
  expect(await samples()).toStrictEqual([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(await samples()).toStrictEqual(["plain 7", 'labelled{state="a"} 8']);
  measure.mockRejectedValueOnce(new Error("the database is gone"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await samples()).toStrictEqual([]);
  measure.mockImplementationOnce(async () => {
    vi.advanceTimersByTime(200);
    plain.set(9);
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await samples()).toStrictEqual(["plain 9"]);
  const calls = measure.mock.calls.length;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(measure.mock.calls.length).toBe(calls);
  await vi.advanceTimersByTimeAsync(900);
  expect(measure.mock.calls.length).toBe(calls + 1);
});
