// Guarantee: a prefix matches exactly the texts that begin with it, in PostgreSQL's own order ("C" on UTF-8:
// by code point). Of several actions and prefixes, each action is selected by one. And a filter is by time
// only where besides it there is at most a range of sequence numbers.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ActionRange,
  actionsOf,
  type EventFilter,
  hasTime,
  hasValues,
} from "./event-filter.ts";

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function isIn(text: string, { from, to }: ActionRange): boolean {
  return byCodePoint(text, from) >= 0 && (to === null || byCodePoint(text, to) < 0);
}

function rangeOf(prefix: string): ActionRange {
  const [range] = actionsOf({ actionPrefixes: [prefix] })?.ranges ?? [];
  if (!range) throw new Error("a prefix has a range");
  return range;
}

describe("actionsOf", () => {
  test("of no action is everything, of exact ones those, each once", () => {
    expect(actionsOf({})).toBeUndefined();
    expect(actionsOf({ actions: [], actionPrefixes: [] })).toBeUndefined();
    expect(actionsOf({ actions: ["b", "a", "b"] })).toEqual({ exact: ["b", "a"], ranges: [] });
  });

  test("leaves out what another prefix has", () => {
    const actions = ["user.login", "use", "userx", "job"];
    const actionPrefixes = ["user.", "user.l", "job.", "user.", "jo"];
    expect(actionsOf({ actions, actionPrefixes })).toEqual({
      exact: ["use", "userx"],
      ranges: [
        { from: "jo", to: "jp" },
        { from: "user.", to: "user/" },
      ],
    });
    expect(actionsOf({ actions, actionPrefixes: [...actionPrefixes, ""] })).toEqual({
      exact: [],
      ranges: [{ from: "", to: null }],
    });
  });

  test("selects each action that one of them selects by exactly one", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\ud7ff", "\ue000"), maxLength: 4 });
    const texts = fc.array(text, { maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, text, (actions, actionPrefixes, action) => {
        fc.pre(actions.length + actionPrefixes.length > 0);
        const { exact = [], ranges = [] } = actionsOf({ actions, actionPrefixes }) ?? {};
        const isSelected =
          actions.includes(action) || actionPrefixes.some((prefix) => action.startsWith(prefix));
        const selecting =
          exact.filter((one) => one === action).length +
          ranges.filter((range) => isIn(action, range)).length;
        expect(selecting).toBe(Number(isSelected));
      }),
    );
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
    expect(rangeOf(action)).toEqual({ from: action, to });
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
          const range = rangeOf(prefix);
          expect(isIn(prefix + rest, range)).toBe(true);
          expect(isIn(other, range)).toBe(other.startsWith(prefix));
        },
      ),
    );
  });
});

test.each<[values: boolean, time: boolean, EventFilter]>([
  [false, false, {}],
  [false, false, { beforeSequence: 9n }],
  [false, true, { occurredFrom: "2026" }],
  [false, true, { occurredTo: "2026", afterSequence: 1n, beforeSequence: 9n }],
  [false, true, { receivedFrom: "2026" }],
  [false, true, { receivedTo: "2026" }],
  [false, false, { actions: [], actorIds: [] }],
  [true, true, { occurredFrom: "2026", actions: ["x"] }],
  [true, false, { actions: [""] }],
  [true, false, { actionPrefixes: [""] }],
  [true, false, { actorIds: ["x"] }],
  [true, false, { actorTypes: ["x"] }],
  [true, false, { targetIds: ["x"] }],
  [true, false, { targetTypes: ["x", "y"] }],
])("hasValues is %s and hasTime %s of %o", (values, time, filter) => {
  expect([hasValues(filter), hasTime(filter)]).toEqual([values, time]);
});
