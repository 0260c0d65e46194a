// Guarantee: the clock is the wall clock. It pauses for a step back of up to five seconds, follows a
// larger one at once, and every step forward; and its text is the instant of its number.

import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { formatMicros } from "./timestamps.ts";

const MICROS_PER_MS = 1000;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 4, 3, 12);

/** A clock whose system is stepped by `step` milliseconds. Its monotonic clock goes on by one a reading. */
function stepped() {
  const at = { stepMs: 0, monotonicMs: 0 };
  const clock = systemClock({
    originMs: START_MS,
    monotonicMs: () => (at.monotonicMs += 1),
    wallMs: () => START_MS + at.monotonicMs + at.stepMs,
  });
  return { at, clock, sinceMs: () => clock.nowMicros() / MICROS_PER_MS - START_MS };
}

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

// Each reading is a millisecond after the one before; the step comes after the first.
test.each([
  ["forward by a day", DAY_MS, [1, DAY_MS + 2, DAY_MS + 3]],
  ["forward by 10 ms, within the drift", 10, [1, 2, 3]],
  ["back by 10 ms, within the drift", -10, [1, 2, 3]],
  ["back by a second", -1_000, [1, 1, 1]],
  ["back by 5 s and what has passed", -5_001, [1, 1, 1]],
  ["back by a millisecond more", -5_002, [1, -5_000, -4_999]],
  ["back by an hour", -3_600_000, [1, -3_599_998, -3_599_997]],
  ["back by a day", -DAY_MS, [1, 2 - DAY_MS, 3 - DAY_MS]],
])("stepped %s", (_, stepMs, expected) => {
  const { at, sinceMs } = stepped();
  const first = sinceMs();
  at.stepMs = stepMs;
  expect([first, sinceMs(), sinceMs()]).toEqual(expected);
});

test("it goes on when the wall clock has reached the time at which it pauses", () => {
  const { at, sinceMs } = stepped();
  const first = sinceMs();
  at.stepMs = -3_000;
  expect(sinceMs()).toBe(first);
  at.monotonicMs += 2_990;
  expect(sinceMs()).toBe(first);
  at.monotonicMs += 20;
  expect(sinceMs()).toBe(at.monotonicMs + at.stepMs);
});

test("a day ahead for a moment, it is right at once when the system is", () => {
  const { at, sinceMs } = stepped();
  at.stepMs = DAY_MS;
  expect(sinceMs()).toBe(DAY_MS + 1);
  at.stepMs = 0;
  expect(sinceMs()).toBe(2);
});

test("the text is the same instant", () => {
  const { clock } = stepped();
  const text = clock.nowText();
  expect(text).toBe(formatMicros((START_MS + 1) * MICROS_PER_MS));
});
