// Guarantee: the text of a filter is read by the type of its field, or refused with an error that names the
// field. What it then selects is in declared-fields.test.ts.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rangesOf } from "./field-ranges.ts";

const of = (type: string, ...values: string[]) =>
  rangesOf({ name: "n", path: ["context", "n"], type, ignoreCase: false, values });

test.each([
  ["number", "5", "c014000000000000", "c014000000000000\u0001"],
  ["number", "-0", "8000000000000000", "8000000000000000\u0001"],
  ["number", "..1e1", "", "c024000000000000\u0001"],
  ["number", "-5..", "3febffffffffffff", null],
  ["ip", "10.0.0.1", "40a000001", "40a000001\u0001"],
  ["ip", "10.1.2.3/8", "40a000000", "40affffff\u0001"],
  ["ip", "::ffff:10.0.0.1", "40a000001", "40a000001\u0001"],
  ["ip", "2001:db8::/127", `620010db8${"0".repeat(24)}`, `620010db8${"0".repeat(23)}1\u0001`],
  [
    "time",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00.000000Z",
    "2026-01-01T00:00:00.000000Z\u0001",
  ],
  ["time", "2026-01-01T01:00:00 01:00..", "2026-01-01T00:00:00.000000Z", null],
  ["string", "a..b", "a..b", "a..b\u0001"],
  ["string", "a*", "a", "b"],
  ["string", "*", "", null],
  ["number", "*", "", null],
])("%s %s", (type, value, since, before) => {
  expect(of(type, value)).toEqual([{ since, before }]);
});

describe("refused", () => {
  test.each([
    ["number", "x"],
    ["number", "0x10"],
    ["number", ""],
    ["number", ".."],
    ["number", "1..2..3"],
    ["number", "1e999"],
    ["number", "5*"],
    ["ip", "10.0.0"],
    ["ip", "10.0.0.0/33"],
    ["ip", "10.0.0.1..10.0.0.2"],
    ["time", "yesterday"],
    ["time", "2026-02-30T00:00:00Z"],
    ["time", ".."],
  ])("%s %j", (type, value) => {
    expect(() => of(type, value)).toThrow(/^field\.n: must be /);
  });
});

test("the order of numbers is that of their texts", () => {
  const key = (value: number) => of("number", String(value))[0]?.since ?? "";
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(number, number, (one, other) => {
      expect(key(one) < key(other)).toBe(one < other);
      expect(key(one) === key(other)).toBe(one === other || (one === 0 && other === 0));
    }),
  );
});
