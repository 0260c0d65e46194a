// Guarantee: bars follow each other without a gap, each begins where the clocks of its zone say so, and none
// is cut or left out where they are changed.

import { describe, expect, test } from "vitest";
import { defaultInterval, edgesOf, type Interval, offsetsOf } from "./bar-edges.ts";

const at = (text: string): number => Date.parse(text) / 60_000;

function edges(interval: Interval, zone: string, from: string, to: string) {
  const offsets = offsetsOf(zone) ?? expect.fail(zone);
  return edgesOf(interval, { from: at(from), to: at(to) }, offsets)?.map((minute) =>
    new Date(minute * 60_000).toISOString().slice(0, 16),
  );
}

test.each([
  // The clocks go forward on 29 March.
  [
    "1d",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    "2026-03-30T12:00Z",
    ["27T23:00", "28T23:00", "29T22:00", "30T22:00"],
  ],
  // Weeks begin on Monday, the 23rd.
  ["1w", "UTC", "2026-03-29T23:59Z", "2026-03-30T00:01Z", ["23T00:00", "30T00:00", "06T00:00"]],
  [
    "1h",
    "Asia/Kolkata",
    "2026-03-28T12:00Z",
    "2026-03-28T13:30Z",
    ["28T11:30", "28T12:30", "28T13:30"],
  ],
  // By half an hour, at 2:00.
  [
    "1h",
    "Australia/Lord_Howe",
    "2026-04-04T13:30Z",
    "2026-04-04T16:30Z",
    ["04T13:00", "04T14:00", "04T15:30", "04T16:30"],
  ],
  // The 8th begins at 1:00.
  [
    "1d",
    "America/Havana",
    "2026-03-07T12:00Z",
    "2026-03-09T12:00Z",
    ["07T05:00", "08T05:00", "09T04:00", "10T04:00"],
  ],
  [
    "15m",
    "Asia/Kathmandu",
    "2026-03-07T12:00Z",
    "2026-03-07T12:31Z",
    ["07T12:00", "07T12:15", "07T12:30", "07T12:45"],
  ],
] as const)("%s in %s", (interval, zone, from, to, expected) => {
  expect(edges(interval, zone, from, to)?.map((text) => text.slice(8))).toEqual(expected);
});

test("2,000 bars, and not one more", () => {
  const of = (to: string) => edges("1h", "UTC", "2026-01-01T00:00Z", to)?.length;
  expect(of("2026-03-25T08:00Z")).toBe(2_001);
  expect(of("2026-03-25T08:01Z")).toBeUndefined();
});

describe("the interval", () => {
  test.each([
    ["1m", 120],
    ["5m", 121],
    ["1h", 120 * 60],
    ["1d", 120 * 60 + 1],
    ["1w", 400 * 24 * 60],
    ["1w", 40_000 * 24 * 60],
  ] as const)("%s for %d minutes", (interval, minutes) => {
    expect(defaultInterval({ from: 0, to: minutes })).toBe(interval);
  });
});

test.each(["+05:30", "-01:00", "", "Mars/Olympus"])("%s is no zone", (zone) => {
  expect(offsetsOf(zone)).toBeUndefined();
});
