// Whatever a client may put into an event comes back from CSV unchanged, no cell begins as a formula does,
// and every record has the same number of cells (RFC 4180).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cell, csvHeader, csvManifest, eventCsv, safeCell, valueOfCell } from "./event-csv.ts";

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
    [" =1", "' =1"],
    ["\uFEFF=1", "'\uFEFF=1"],
    ["\u00A0\u200B ' @x", "'\u00A0\u200B ' @x"],
    ["\u0000-1", "'\u0000-1"],
    ["' =1", "'' =1"],
    ["'quoted", "'quoted"],
    [" plain", " plain"],
    ["\uFEFFplain", "\uFEFFplain"],
    ["user.login", "user.login"],
    ["a=b", "a=b"],
    ["", ""],
  ])("%j becomes %j", (value, expected) => {
    expect(safeCell(value)).toBe(expected);
  });

  const hostile = fc.string({
    unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "a", "＝", " ", "\uFEFF", "\u200B"),
  });

  test("the value can be told from it, for any text, and it is no formula", () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const safe = safeCell(value);
        expect(valueOfCell(safe)).toBe(value);
        expect(safe).not.toMatch(/^[\s\uFEFF\u200B]*[=+\-@＝＋－＠]|^[\t\r\n]/);
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

const EVENT = {
  id: "evt_1",
  sequenceNumber: 1n,
  action: '=a,"b"',
  actor: '{"id":7}',
  target: '{"id":"=1","type":"x"}',
  context: "",
  diff: "{}",
  metadata: '{"note":"a,\\"b\\""}',
  hash: "h",
  previousHash: "p",
  occurredAt: "o",
  receivedAt: "r",
  createdAt: "c",
};

/** The cells of one record. */
const cells = (text: string) =>
  Array.from(
    `,${text.replace(/\r\n$/, "")}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g),
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  );

test.each([true, false])("each cell stands under its name, with proofs: %s", (includeProofs) => {
  const names = cells(csvHeader(includeProofs));
  const values = cells(eventCsv(EVENT, includeProofs ? '{"v":1}' : undefined));
  expect(values).toHaveLength(names.length);
  expect(Object.fromEntries(names.map((name, at) => [name, values[at]]))).toEqual({
    sequence_number: "1",
    id: "evt_1",
    action: `'=a,"b"`,
    actor_id: "",
    actor_type: "",
    target_id: "'=1",
    target_type: "x",
    occurred_at: "o",
    received_at: "r",
    created_at: "c",
    hash: "h",
    previous_hash: "p",
    actor: EVENT.actor,
    target: EVENT.target,
    context: "{}",
    diff: "{}",
    metadata: EVENT.metadata,
    ...(includeProofs && { proof: '{"v":1}' }),
    manifest: "",
  });
  const last = cells(csvManifest('{"a":1}', includeProofs));
  expect(last).toEqual([...names.slice(1).map(() => ""), '{"a":1}']);
});

test("what a client chose is safe and in quotes where it has to be, whatever it is", () => {
  const unit = fc.constantFrom(...Array.from("aZ0_.:/-=+@'\", \t\r\n＝é"));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 4 }), (action) => {
      const expected = `1,evt_1,${cell(safeCell(action))},,,'=1,x,`;
      expect(eventCsv({ ...EVENT, action }).slice(0, expected.length)).toBe(expected);
    }),
  );
});

test.each(["null", '{"id":', "7", '"=1"'])(
  "an actor that is no longer an object, %s, is carried",
  (actor) => {
    const values = cells(eventCsv({ ...EVENT, actor, target: "{}" }));
    expect(values.slice(3, 7)).toEqual(["", "", "", ""]);
    expect(values[12]).toBe(actor);
  },
);
