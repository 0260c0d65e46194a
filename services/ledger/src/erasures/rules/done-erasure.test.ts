// Guarantee: a line of the file of erasures is read as it was written. Any other line is refused, by its
// number and by what is wrong with it, and a line cannot name more events than a record can.

import { describe, expect, test } from "vitest";
import { erasureIn, erasureLine, readErasures } from "./done-erasure.ts";
import { numberRanges, numbersIn } from "../../events/rules/number-ranges.ts";

const HASH = "ab".repeat(32);
const SAID = { erasure: "era_1", parts: ["actor", "target"], sequence_numbers: "2,5-7" };
const LINE = erasureLine({ accountId: "acct_1", hash: HASH, record: 9 }, SAID);

test("a line is read as it was written", () => {
  const read = {
    accountId: "acct_1",
    record: 9,
    hash: HASH,
    erasure: "era_1",
    parts: 17,
    numbers: [2, 5, 6, 7],
    reference: undefined,
  };
  expect(readErasures(`${LINE}\n${LINE}`)).toEqual([read, read]);
  const referred = { ...SAID, reference: "case 7" };
  expect(erasureIn(referred)).toMatchObject({ reference: "case 7" });
  expect(readErasures("")).toEqual([]);
});

test.each([
  ["what is no JSON", "{", "is not a JSON object"],
  ["no account", LINE.replace("acct_1", ""), "account_id must be a string"],
  ["no record", LINE.replace('"record":9', '"record":0'), "record must be a positive integer"],
  ["another hash", LINE.replace("ab", "AB"), "hash must be 64 hexadecimal digits"],
  ["no part", LINE.replace('["actor","target"]', "[]"), "are not those of a record"],
  ["an unknown part", LINE.replace("target", "key"), "are not those of a record"],
  ["a part twice", LINE.replace("target", "actor"), "are not those of a record"],
  ["no number", LINE.replace("2,5-7", ""), "are not those of a record"],
])("%s is refused with its line", (_, line, message) => {
  expect(() => readErasures(`${LINE}${line}`)).toThrow(`line 2`);
  expect(() => readErasures(line)).toThrow(message);
});

describe("ranges of numbers", () => {
  test.each(["1", "1-250", "1,3,5-9", `${Number.MAX_SAFE_INTEGER}`])("%s is read", (text) => {
    const numbers = numbersIn(text, 250) ?? [];
    expect(numberRanges(numbers)).toBe(text);
  });

  test.each([
    "1-251",
    "0",
    "01",
    "2,1",
    "2-1",
    "1,1",
    "1-3,3",
    "1,",
    ",1",
    "1-",
    "-1",
    "1 ",
    "9007199254740992",
    "1-9007199254740991",
    Array.from({ length: 251 }, (_, at) => 2 * at + 1).join(","),
  ])("%s is refused", (text) => {
    expect(numbersIn(text, 250)).toBeUndefined();
  });
});
