// Guarantee: a clock counts as wrong when it differs from the other one by more than five seconds, the time
// of the question taken into account; a step is seen without a new question; and the other clock goes on by
// itself, but is not given while the two differ.

import { describe, expect, test } from "vitest";
import { ComparedClock } from "./compared-clock.ts";
import { formatMicros } from "./timestamps.ts";

const START = Date.UTC(2026, 4, 3, 12) * 1_000;
const S = 1_000_000;

/** Compared over `roundTripS` with a clock that is then `aheadS` behind it; both go on with `passed`. */
function compared({ aheadS, roundTripS = 0 }: { aheadS: number; roundTripS?: number }) {
  const at = { monotonicS: 100, stepS: 0 };
  const nowMicros = () => START + (at.monotonicS - 100 + at.stepS) * S;
  const clock = new ComparedClock(
    { nowMicros, nowText: () => formatMicros(nowMicros()) },
    () => at.monotonicS * 1_000,
  );
  const end = clock.begin();
  at.monotonicS += roundTripS;
  end(nowMicros() - aheadS * S);
  return { at, clock };
}

describe("the tolerance", () => {
  test.each([
    ["the same", 0, 0, undefined],
    ["5 s ahead", 5, 0, undefined],
    ["more than 5 s ahead", 5.001, 0, /5\.0 s ahead of the database's/u],
    ["5 s behind", -5, 0, undefined],
    ["more than 5 s behind", -5.001, 0, /5\.0 s behind the database's/u],
    ["a day ahead", 86_400, 0, /86400\.0 s ahead/u],
    // The other clock was read at some moment of the round trip: it may be later than it showed by all of it.
    ["5 s and a round trip ahead", 7, 2, undefined],
    ["more than that ahead", 7.001, 2, /ahead/u],
    ["5 s behind at the end of a round trip", -5, 2, undefined],
    ["more than that behind", -5.001, 2, /behind/u],
  ] as const)("%s", (_, aheadS, roundTripS, expected) => {
    const fault = compared({ aheadS, roundTripS }).clock.fault();
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(expected);
  });
});

test("it is not known before the first comparison", () => {
  const clock = new ComparedClock();
  expect(clock.isCompared).toBe(false);
  expect(clock.fault()).toMatch(/has not been compared/u);
  expect(() => clock.other.nowMicros()).toThrow(/has not been compared/u);
});

test("a step is seen at once, and so is its end", () => {
  const { at, clock } = compared({ aheadS: 0 });
  at.monotonicS += 3_600;
  expect(clock.fault()).toBeUndefined();
  at.stepS = 86_400;
  expect(clock.fault()).toMatch(/86400\.0 s ahead/u);
  expect(clock.offsetS()).toBe(86_400);
  at.stepS = 0;
  expect(clock.fault()).toBeUndefined();
  at.stepS = -3_600;
  expect(clock.fault()).toMatch(/3600\.0 s behind/u);
});

test("the other clock goes on from what it showed, and is not given while the two differ", () => {
  const { at, clock } = compared({ aheadS: 2 });
  at.monotonicS += 10;
  expect(clock.other.nowMicros()).toBe(START + 8 * S);
  expect(clock.other.nowText()).toBe(formatMicros(START + 8 * S));
  at.stepS = 86_400;
  expect(() => clock.other.nowMicros()).toThrow(/ahead/u);
});

test("another right clock is at most the tolerance ahead of both", () => {
  const ahead = compared({ aheadS: 4 });
  expect(ahead.clock.latestMicros()).toBe(START + 5 * S);
  const behind = compared({ aheadS: -4 });
  expect(behind.clock.latestMicros()).toBe(START + 9 * S);
  // The monotonic clock has fractions of a microsecond, and a time has none.
  behind.at.monotonicS += 1.000_000_1;
  expect(Number.isSafeInteger(behind.clock.latestMicros())).toBe(true);
  expect(Number.isSafeInteger(behind.clock.other.nowMicros())).toBe(true);
});

test("an age goes by the other clock, whatever this one shows, and by this one before the first comparison", () => {
  const { at, clock } = compared({ aheadS: 2 });
  expect(clock.otherMicros()).toBe(START - 2 * S);
  at.monotonicS += 60;
  at.stepS = -86_400;
  expect(clock.otherMicros()).toBe(START + 58 * S);
  const nowMicros = () => START;
  const unknown = new ComparedClock({ nowMicros, nowText: () => formatMicros(START) });
  expect(unknown.otherMicros()).toBe(START);
});
