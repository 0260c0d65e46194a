// Whatever a client may put into an event comes back from CSV unchanged, no cell begins as a formula does,
// and every record has the same number of cells (RFC 4180).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cell, csvEncoder, safeCell } from "./csv.ts";

describe("safeCell", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", "'\r=1"],
    ["\n=1", "'\n=1"],
    ["＝1", "'＝1"],
    ["'=1", "''=1"],
    ["''=1", "'''=1"],
    ["'quoted", "'quoted"],
    ["user.login", "user.login"],
    ["a=b", "a=b"],
    ["", ""],
  ])("%j becomes %j", (value, expected) => {
    expect(safeCell(value)).toBe(expected);
  });

  const hostile = fc.string({
    unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "a", "＝"),
  });

  test("the value can be told from it, for any text, and it is no formula", () => {
    const read = (text: string) => (/^'+[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text);
    fc.assert(
      fc.property(hostile, (value) => {
        const safe = safeCell(value);
        expect(read(safe)).toBe(value);
        expect(safe).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }),
    );
  });
});

describe("cell", () => {
  test.each([
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['a"b', '"a""b"'],
    ["a\r\nb", '"a\r\nb"'],
    [" a", '" a"'],
    ["", ""],
  ])("%j becomes %j", (value, expected) => {
    expect(cell(value)).toBe(expected);
  });
});

test("header, records and manifest have the same number of cells", () => {
  const encoder = csvEncoder(false);
  const event = {
    id: "evt_1",
    sequenceNumber: 1n,
    action: "a",
    actor: '{"id":7}',
    target: "",
    context: "",
    diff: "",
    metadata: "",
    hash: "h",
    previousHash: "p",
    occurredAt: "t",
    receivedAt: "t",
    createdAt: "t",
  };
  const cells = (text: string) => text.split(",").length;
  expect(cells(encoder.record?.(event) ?? "")).toBe(cells(encoder.opening));
  expect(cells(encoder.closing("{}"))).toBe(cells(encoder.opening));
  expect(() => csvEncoder(true).record?.(event)).toThrow(TypeError);
});
