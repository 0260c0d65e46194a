// Guarantee: a client that reads steadily, however little it is at a time and however late it shows, is not
// cut off while it reads at the minimum rate. One that reads nothing is, after four windows at the latest,
// and so is one that goes on below the rate. A body must come at the rate in each window.

import { expect, test } from "vitest";
import { type Moving, Transfer } from "./transfer-rate.ts";

const LIMITS = { minBytesPerSecond: 1_024, bodyWindowMs: 5_000, responseWindowMs: 30_000 };
const SWEEP_MS = 250;
const HOUR_MS = 3_600_000;
const WINDOW_S = LIMITS.responseWindowMs / 1_000;

/** When, in seconds, a reader is cut off that the kernel has taken `took` bytes for at each second. */
function cutOff(took: (second: number) => number): number | undefined {
  const transfer = new Transfer();
  for (let ms = 0; ms < HOUR_MS; ms += SWEEP_MS) {
    const socket = {
      writableLength: 1,
      bytesWritten: took(Math.floor(ms / 1_000)) + 1,
      bytesRead: 0,
    };
    const moving = { request: { socket, complete: true }, response: {}, isReading: false };
    if (transfer.slowness(moving as unknown as Moving, LIMITS, ms)) return ms / 1_000;
  }
  return undefined;
}

/** The kernel takes `step` bytes whenever the client has read so many. */
const stepwise = (rate: number, step: number) => (second: number) =>
  step + Math.floor((second * rate) / step) * step;

test.each([
  [8 * 1_024, 252 * 1_024],
  [8 * 1_024, 900 * 1_024],
  [2 * 1_024, 64 * 1_024],
  [1_024, 16 * 1_024],
])(
  "a steady reader of %d bytes a second is not cut off, though it shows every %d bytes",
  (rate, step) => {
    expect(cutOff(stepwise(rate, step))).toBeUndefined();
  },
);

test.each([
  ["from the first byte on", () => 0, WINDOW_S],
  ["after 10 KiB", () => 10 * 1_024, WINDOW_S + 10],
  ["after the kernel took megabytes", () => 4_000_000, 4 * WINDOW_S],
])("a client that reads nothing %s is cut off", (_when, took, seconds) => {
  expect(cutOff(took)).toBeGreaterThanOrEqual(seconds);
  expect(cutOff(took)).toBeLessThan(seconds + 1);
});

test("a client that goes on below the rate is cut off, and one at the rate is not", () => {
  expect(cutOff((second) => 512 * second)).toBeLessThan(4 * WINDOW_S);
  expect(cutOff((second) => 1_024 * second)).toBeUndefined();
});

test("a body that comes below the rate in one window ends", () => {
  const slowAt = (bytesAt: (ms: number) => number) => {
    const transfer = new Transfer();
    for (let ms = 0; ms < 60_000; ms += SWEEP_MS) {
      const socket = { writableLength: 0, bytesWritten: 0, bytesRead: bytesAt(ms) };
      const moving = { request: { socket, complete: false }, response: {}, isReading: true };
      if (transfer.slowness(moving as unknown as Moving, LIMITS, ms)) return ms;
    }
    return undefined;
  };
  expect(slowAt((ms) => (1_024 * ms) / 1_000)).toBeUndefined();
  expect(slowAt(() => 1_000_000)).toBe(LIMITS.bodyWindowMs);
  expect(slowAt((ms) => 512 * Math.floor(ms / 1_000))).toBe(LIMITS.bodyWindowMs);
});
