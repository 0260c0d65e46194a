// Guarantee: a Parquet export with proofs verifies by itself. One changed byte is found, wherever it is: the
// fault suite changes each, npm test every fifth. So is a column in which a query would see another value
// than the one that was hashed.

import { hash } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { erasedLine } from "./made-erasure.ts";
import { chainOf, type Made } from "./made-export.ts";
import { parquetOf, verdictOf, verifyBytes } from "./made-parquet.ts";

const PARTS = Array.from({ length: 40 }, (_, n) => ({ n, text: "é€😀\u{feff}", number: n / 7 }));
const made = chainOf("acct_1", PARTS);
const valid = parquetOf(made);

/** The same chain with another text in a line. */
function changed(at: number, change: (line: string) => string): Omit<Made, "records"> {
  return { ...made, lines: made.lines.with(at, change(made.lines[at] ?? "")) };
}

describe("a file", () => {
  test("is valid by itself, and its digest is that of the whole file", async () => {
    const sha256 = hash("sha256", valid);
    expect(await verifyBytes(valid, { sha256 })).toMatchObject({
      events: 40,
      linksChecked: 40,
      linksUnchecked: 0,
      sha256,
      manifest: { format: "parquet", chain: "acct_1" },
    });
    await expect(verifyBytes(valid, { sha256: "0".repeat(64) })).rejects.toThrow("sha256_mismatch");
  });

  test("without events is valid", async () => {
    const empty = parquetOf(chainOf("acct_1", []));
    expect(await verifyBytes(empty)).toMatchObject({ events: 0 });
  });

  test("of several row groups is valid", async () => {
    const many = chainOf(
      "acct_1",
      Array.from({ length: 4_000 }, (_, n) => ({ n })),
    );
    expect(await verifyBytes(parquetOf(many))).toMatchObject({ events: 4_000 });
  });

  test("has the same bytes when it is written again", () => {
    expect(parquetOf(made).equals(valid)).toBe(true);
  });

  test("of which a part is erased says so, and that its record is elsewhere", async () => {
    const erased = {
      ...made,
      lines: made.lines.with(3, erasedLine(made.lines[3] ?? "", ["actor"])),
    };
    expect(await verdictOf(parquetOf(erased))).toContain("erasure_unrecorded");
    const filtered = parquetOf(erased, { filterJson: '{"action":"a*"}' });
    expect(await verifyBytes(filtered)).toMatchObject({ erasedParts: 1, erasuresUnchecked: 1 });
  });
});

describe("is refused:", () => {
  test("any byte that was changed", async () => {
    const small = parquetOf(chainOf("acct_1", PARTS.slice(0, 1)));
    const accepted: number[] = [];
    const ending = small.length - 8;
    const { everyByte } = inject("form").parquet;
    for (const at of small.keys()) {
      if (at % everyByte > 0 && at < ending) continue;
      const bytes = Buffer.from(small);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      if ((await verdictOf(bytes)) === "Error: valid") accepted.push(at);
    }
    expect(accepted).toEqual([]);
    expect(await verdictOf(small)).toBe("Error: valid");
  });

  test.each([4, 8, 100, valid.length - 1, valid.length - 8, valid.length - 500])(
    "a file that was cut after %d bytes",
    async (size) => {
      expect(await verdictOf(valid.subarray(0, size))).toMatch(/footer|cut off/);
    },
  );

  test.each<[string, Omit<Made, "records">, RegExp]>([
    [
      "a value",
      changed(6, (line) => line.replace('"metadata":{"n":6', '"metadata":{"n":7')),
      /^7: sequence number 7: digest_mismatch in metadata$/,
    ],
    [
      "an action",
      changed(6, (line) => line.replace('"action":"a.6', '"action":"b.6')),
      /^7: sequence number 7: hash_mismatch$/,
    ],
    [
      "a time",
      changed(6, (line) => line.replace(/"occurred_at":"2026/, '"occurred_at":"2025')),
      /^7: sequence number 7: hash_mismatch$/,
    ],
    [
      "an event that is missing",
      { lines: made.lines.toSpliced(6, 1), places: made.places.toSpliced(6, 1) },
      /^7: .*sequence_gap/,
    ],
    [
      "an event of another chain",
      { ...made, lines: made.lines.with(6, chainOf("acct_2", PARTS).lines[6] ?? "") },
      /another chain/,
    ],
  ])("%s, in a file that fits it otherwise", async (_, lines, expected) => {
    expect(await verdictOf(parquetOf(lines))).toMatch(expected);
  });

  test("a count that is not that of the file", async () => {
    expect(await verdictOf(parquetOf(made, { eventCount: 41 }))).toContain("event_count is 41");
  });

  test("a file without proofs, and it says why", async () => {
    const lines = made.lines.map((line) => JSON.stringify(JSON.parse(line).event));
    const bytes = parquetOf({ ...made, lines }, { includeProofs: false });
    expect(await verdictOf(bytes)).toContain("was made without proofs");
  });
});
