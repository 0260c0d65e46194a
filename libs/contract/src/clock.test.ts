// Guarantee: the clock never goes back, whatever the system's clock does; it follows the wall
// clock, and its text is the instant of its number.

import { afterEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { formatMicros } from "./timestamps.ts";

afterEach(() => vi.restoreAllMocks());

const MICROS_PER_MS = 1000;
const HOUR_MS = 3_600_000;

test("no answer is less than the one before, and all are whole microseconds", () => {
  const clock = systemClock();
  const answers = Array.from({ length: 100_000 }, () => clock.nowMicros());
  expect(answers.every(Number.isSafeInteger)).toBe(true);
  expect(answers.findIndex((now, index) => now < (answers[index - 1] ?? 0))).toBe(-1);
});

test("it is the wall clock's time", () => {
  const clock = systemClock();
  const before = Date.now();
  const now = clock.nowMicros() / MICROS_PER_MS;
  // The two sources differ by what the monotonic clock may drift.
  expect(now).toBeGreaterThan(before - 25);
  expect(now).toBeLessThan(Date.now() + 25);
});

test("it follows a step forward at once, and a step back not at all", () => {
  const clock = systemClock();
  const system = vi.spyOn(Date, "now");
  const later = Date.now() + HOUR_MS;
  system.mockReturnValue(later);
  expect(clock.nowMicros()).toBe(later * MICROS_PER_MS);
  system.mockReturnValue(later - 2 * HOUR_MS);
  expect(clock.nowMicros()).toBe(later * MICROS_PER_MS);
  system.mockReturnValue(later + 1);
  expect(clock.nowMicros()).toBe((later + 1) * MICROS_PER_MS);
});

test("the text is the same instant", () => {
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + HOUR_MS);
  const clock = systemClock();
  expect(clock.nowText()).toBe(formatMicros(clock.nowMicros()));
});
