// Guarantee: a prefix matches exactly the texts that begin with it, in PostgreSQL's own order ("C" on UTF-8:
// by code point). And a filter is by time only where besides it there is at most a range of sequence
// numbers.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actionRange, type EventFilter, hasTime, hasValues } from "./event-filter.ts";

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function isIn(text: string, { from, to }: ReturnType<typeof actionRange>): boolean {
  return (
    (from === null || byCodePoint(text, from) >= 0) && (to === null || byCodePoint(text, to) < 0)
  );
}

describe("actionRange", () => {
  test("of no action is everything, of an exact one that one", () => {
    expect(actionRange({ actionIsPrefix: true })).toEqual({ exact: null, from: null, to: null });
    expect(actionRange({ action: "a", actionIsPrefix: false })).toEqual({
      exact: "a",
      from: null,
      to: null,
    });
  });

  test.each([
    ["user.", "user/"],
    ["a", "b"],
    ["\u007f", "\u0080"],
    ["\ud7ff", "\ue000"],
    ["\uffff", "\u{10000}"],
    ["a\u{10ffff}", "b"],
    ["a\u{10ffff}\u{10ffff}", "b"],
    ["\u{10ffff}", null],
    ["", null],
  ])("of the prefix %j ends before %j", (action, to) => {
    expect(actionRange({ action, actionIsPrefix: true })).toEqual({
      exact: null,
      from: action,
      to,
    });
  });

  test("of any prefix holds a text if and only if it begins so", () => {
    const text = fc.string({ unit: "binary", maxLength: 4 });
    const near = fc.string({
      unit: fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\u{10ffff}"),
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        fc.oneof(text, near),
        fc.oneof(text, near),
        fc.oneof(text, near),
        (prefix, rest, other) => {
          fc.pre(prefix.isWellFormed() && rest.isWellFormed() && other.isWellFormed());
          const range = actionRange({ action: prefix, actionIsPrefix: true });
          expect(isIn(prefix + rest, range)).toBe(true);
          expect(isIn(other, range)).toBe(other.startsWith(prefix));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

test.each<[values: boolean, time: boolean, Partial<EventFilter>]>([
  [false, false, {}],
  [false, false, { beforeSequence: 9n }],
  [false, true, { occurredFrom: "2026" }],
  [false, true, { occurredTo: "2026", afterSequence: 1n, beforeSequence: 9n }],
  [true, true, { occurredFrom: "2026", action: "x" }],
  [true, false, { action: "" }],
  [true, false, { actorId: "x" }],
  [true, false, { actorType: "x" }],
  [true, false, { targetId: "x" }],
  [true, false, { targetType: "x" }],
])("hasValues is %s and hasTime %s of %o", (values, time, given) => {
  const filter = { actionIsPrefix: false, ...given };
  expect([hasValues(filter), hasTime(filter)]).toEqual([values, time]);
});
