// Guarantees: each kind of entry has the one text that canonical JSON gives it, which is read back as it was,
// and any other text is refused.

import { describe, expect, test } from "vitest";
import { entryText, type LogEntry, MAX_ENTRY_BYTES, parseEntry } from "./log-entry.ts";

const [time, hash] = ["2026-03-02T00:00:30.000000Z", Buffer.alloc(32, 7)];
const hex = hash.toString("hex");

const ENTRIES: readonly [LogEntry, string][] = [
  [
    { epoch: 1, time, kind: "heads", heads: hash },
    `{"epoch":1,"heads":"${hex}","kind":"heads","time":"${time}","v":1}`,
  ],
  [
    { epoch: 2, time, kind: "key", key: "a.example+00000001+AQ==" },
    `{"epoch":2,"key":"a.example+00000001+AQ==","kind":"key","time":"${time}","v":1}`,
  ],
  [
    { epoch: 1, time, kind: "succeeds", origin: "a.example", size: 3, root: hash },
    `{"epoch":1,"kind":"succeeds","origin":"a.example","root":"${hex}","size":3,"time":"${time}","v":1}`,
  ],
];

test.each(ENTRIES)("an entry %#", (entry, text) => {
  expect(entryText(entry)).toBe(text);
  expect(parseEntry(text)).toEqual(entry);
});

const HEADS = ENTRIES[0]?.[1] ?? "";
describe("is refused", () => {
  test.each([
    ["no JSON", "heads"],
    ["another order", `{"heads":"${hex}","epoch":1,"kind":"heads","time":"${time}","v":1}`],
    ["a space", HEADS.replace(",", ", ")],
    ["another version", HEADS.replace('"v":1', '"v":2')],
    ["one more member", HEADS.replace('"v":1', '"v":1,"w":1')],
    ["an unknown kind", HEADS.replace('"kind":"heads"', '"kind":"tails"')],
    ["epoch 0", HEADS.replace('"epoch":1', '"epoch":0')],
    ["a time without fractions", HEADS.replace(".000000Z", "Z")],
    ["a short hash", HEADS.replace(hex, hex.slice(2))],
    ["upper case", HEADS.replace(hex, "AB".repeat(32))],
    [
      "more bytes than the most",
      entryText({ epoch: 2, time, kind: "key", key: "k".repeat(MAX_ENTRY_BYTES) }),
    ],
  ])("%s", (_, text) => {
    expect(() => parseEntry(text)).toThrow("is not an entry of a head log");
  });
});
