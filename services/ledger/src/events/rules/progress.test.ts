// Guarantee: a stream that finds nothing says how far it is after 50,000 numbers, or after 256 steps, since
// its reader was told last.

import { expect, test } from "vitest";
import { Progress } from "./progress.ts";

/** The numbers at which progress is due, of steps that reach these. */
const dueAt = (progress: Progress, reached: readonly number[]) =>
  reached.filter((number) => progress.isDue(number));

const steps = (count: number, size: number, after = 0) =>
  Array.from({ length: count }, (_, at) => after + (at + 1) * size);

test("after many numbers", () => {
  expect(dueAt(new Progress(), steps(10, 20_000))).toEqual([60_000, 120_000, 180_000]);
});

test("after many steps", () => {
  expect(dueAt(new Progress(), steps(600, 1))).toEqual([256, 512]);
});

test("neither counts before what was found", () => {
  const progress = new Progress();
  expect(dueAt(progress, steps(255, 1))).toEqual([]);
  progress.told(40_000);
  expect(dueAt(progress, steps(255, 1, 40_000))).toEqual([]);
  progress.told(50_000);
  expect(dueAt(progress, [99_999, 100_000])).toEqual([100_000]);
});
