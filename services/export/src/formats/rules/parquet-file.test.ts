// Guarantee: the row groups of a Parquet file grow with the file, so that what is kept of each until the end
// stays small, and none is larger than annals-verify accepts. A row group is encoded a column at a time, so
// that no turn of the event loop takes as long as a group does.

import { expect, test } from "vitest";
import { ParquetFile } from "./parquet-file.ts";

const MIB = 1024 * 1024;
const TEXT = "x".repeat(64 * 1024);

function lineOf(text: string): string {
  return JSON.stringify({
    sequence_number: 1,
    id: "evt_1",
    action: "file.read",
    actor: {},
    target: {},
    context: {},
    diff: {},
    metadata: { text },
    occurred_at: "2026-11-28T00:00:00.000000Z",
    received_at: "2026-11-28T00:00:00.000000Z",
    created_at: "2026-11-28T00:00:00.000000Z",
    hash: "00",
    previous_hash: "00",
  });
}

/** Adds lines until a row group is full, and returns how many MiB of text it has. */
function fillGroup(file: ParquetFile): number {
  const line = lineOf(TEXT);
  let characters = 0;
  while (!file.isFull) {
    file.add(line);
    characters += line.length;
  }
  Array.from(file.take());
  return Math.floor(characters / MIB);
}

test("row groups have 1 MiB of text, and one more after each 256 of them, up to 4", () => {
  const file = new ParquetFile(false);
  const small = lineOf("");
  const sizes = Array.from({ length: 6 }, () => {
    const mib = fillGroup(file);
    for (let group = 1; group < 256; group += 1) {
      file.add(small);
      Array.from(file.take());
    }
    return mib;
  });
  expect(sizes).toStrictEqual([1, 2, 3, 4, 4, 4]);
});

test("a row group is made of a piece for each column, and no piece has two", () => {
  const file = new ParquetFile(false);
  file.add(lineOf("0123456789".repeat(1_000)));
  file.add(lineOf("abcdefghij".repeat(1_000)));
  const pieces = Array.from(file.take(), (bytes) => Buffer.from(bytes).toString("latin1"));
  expect(pieces).toHaveLength(18);
  expect(pieces.filter((piece) => piece.length === 0)).toStrictEqual([]);
  expect(pieces[0]?.startsWith("PAR1")).toBe(true);
  expect(Array.from(file.take(), (bytes) => bytes.length)).toStrictEqual([0]);
});
