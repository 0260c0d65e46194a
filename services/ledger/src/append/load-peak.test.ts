// Guarantee: the load counts as low at no more than half of the greatest rate of the last day, and not before
// it was measured.

import { expect, test } from "vitest";
import { LoadPeak } from "./load-peak.ts";

const HOUR_MS = 3_600_000;

test("load is low at no more than half of the greatest rate of the last day", () => {
  let nowMs = 0;
  let events = 0;
  const peak = new LoadPeak(() => nowMs);
  const after = (ms: number, perS: number) => {
    nowMs += ms;
    events += (perS * ms) / 1_000;
    peak.sample(events);
    return peak.isLoadLow;
  };
  expect(peak.isLoadLow).toBe(false);
  expect(after(0, 0)).toBe(false);
  expect(after(30_000, 5)).toBe(true);
  expect(after(30_000, 1_000)).toBe(false);
  expect(after(HOUR_MS, 600)).toBe(false);
  expect(after(HOUR_MS, 500)).toBe(true);
  expect(after(20 * HOUR_MS, 400)).toBe(true);
  expect(after(3 * HOUR_MS, 400)).toBe(false);
});
