// A month is counted once and from its first event, whatever the clocks of ledgers say, and the wait until
// the next is never too short.

import { describe, expect, test } from "vitest";
import { monthOf, monthStartAt, nextMonth, secondsToNextMonth } from "./month.ts";

describe("monthStartAt", () => {
  const head = { sequence: 70, createdAt: "2026-05-10T12:00:00.000000Z", monthStart: 40 };

  test.for([
    ["2026-05-10T12:00:00.000000Z", 40],
    ["2026-05-31T23:59:59.999999Z", 40],
    ["2026-06-01T00:00:00.000000Z", 70],
    ["2027-01-01T00:00:00.000000Z", 70],
    // behind a head whose time was wrong
    ["2026-04-30T23:59:59.999999Z", 40],
  ] as const)("at %s", ([createdAt, start]) => {
    expect(monthStartAt(head, createdAt)).toBe(start);
  });

  test("before the first append", () => {
    const empty = { sequence: 0, createdAt: "", monthStart: 0 };
    expect(monthStartAt(empty, "2026-05-10T12:00:00.000000Z")).toBe(0);
  });
});

test.for([
  ["2026-05", "2026-05-31T23:59:59.999999Z", 1],
  ["2026-05", "2026-05-31T23:59:00.000000Z", 60],
  ["2026-02", "2026-02-01T00:00:00.000000Z", 28 * 86_400],
  ["2028-02", "2028-02-01T00:00:00.000000Z", 29 * 86_400],
  ["2026-12", "2026-12-31T00:00:00.000000Z", 86_400],
  ["2026-05", "2026-05-10T12:00:00.000001Z", 21 * 86_400 + 43_200],
  // a ledger whose clock is behind waits for the end of the month that was begun
  ["2026-05", "2026-04-30T23:59:59.000000Z", 31 * 86_400 + 1],
  ["2026-05", "2026-06-01T00:00:00.000000Z", 1],
] as const)("in %s at %s the next month is %d seconds away", ([month, createdAt, seconds]) => {
  expect(secondsToNextMonth(month, createdAt)).toBe(seconds);
});

test.for([
  ["2026-01", "2026-02-01T00:00:00.000000Z"],
  ["2026-12", "2027-01-01T00:00:00.000000Z"],
] as const)("the month after %s", ([month, next]) => {
  expect(nextMonth(month)).toBe(next);
  expect(monthOf(next)).toBe(next.slice(0, 7));
});
