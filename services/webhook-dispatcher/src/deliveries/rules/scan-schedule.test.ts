// Guarantees: while a queue is open the scan goes on each quarter of a second, or as seldom as its cost asks
// for; without one it rests, until this process opens a queue. It is never more than two seconds away.

import { expect, test } from "vitest";
import { MAX_INTERVAL_MS, ScanSchedule } from "./scan-schedule.ts";

const INTERVAL_MS = 250;
const LAST = ["acct_1", "wh_1"] as const;

/** A scan of two statements, which find so many queues, each in `tookMs`. */
function scanned([first, second]: readonly [number, number], tookMs = 1) {
  const scan = new ScanSchedule();
  scan.ended(LAST, { begunAt: 0, found: first, now: tookMs });
  expect(scan.dueInMs(tookMs)).toBe(0);
  expect(scan.after).toEqual(LAST);
  scan.ended(undefined, { begunAt: tookMs, found: second, now: 2 * tookMs });
  return { dueInMs: (ms = 0) => scan.dueInMs(2 * tookMs + ms), now: 2 * tookMs, scan };
}

test.each([
  ["the first statement", [1, 0]],
  ["the last statement", [0, 1]],
] as const)("a queue that %s finds is looked at again soon", (_, found) => {
  expect(scanned(found).dueInMs()).toBe(INTERVAL_MS);
});

test("a scan that takes long goes on later, within the bound", () => {
  expect(scanned([1, 1], 50).dueInMs()).toBe(1_000);
  expect(scanned([1, 1], 5_000).dueInMs()).toBe(MAX_INTERVAL_MS);
});

test("without an open queue it rests, also if it takes long, and what it found before is forgotten", () => {
  expect(scanned([0, 0]).dueInMs()).toBe(MAX_INTERVAL_MS);
  expect(scanned([0, 0], 5_000).dueInMs()).toBe(MAX_INTERVAL_MS);
  const { now, scan } = scanned([1, 1]);
  scan.ended(undefined, { begunAt: now, found: 0, now });
  expect(scan.dueInMs(now)).toBe(MAX_INTERVAL_MS);
});

test("a queue that this process opens ends the rest, and delays no scan", () => {
  const { dueInMs, now, scan } = scanned([0, 0]);
  scan.expectQueue(now + 100);
  expect(dueInMs()).toBe(100 + INTERVAL_MS);
  scan.expectQueue(now + 200);
  expect(dueInMs()).toBe(100 + INTERVAL_MS);
});
