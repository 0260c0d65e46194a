// Guarantee: a large event is written as a small one is, with the same places, and in pieces: no work between
// two of them is more than some thousands of characters. Pieces are counted: no clock decides.

import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import type { EventBytes } from "./event-reader.ts";
import type { JsonObject } from "./json-value.ts";
import { writeEventBytes } from "./write-event-bytes.ts";

const PIECE = 16 * 1024;
const PIECES = 32;
const MOST = 64 * 1024 * 1024;

const partOf = (metadata: JsonObject): JsonObject => ({
  action: "é",
  actor: { type: "user", id: "ü" },
  occurred_at: "2026-01-31T09:30:00Z",
  metadata,
});
const many = Object.fromEntries(
  Array.from({ length: PIECE }, (_, n) => [`é${(n * 7_919) % PIECE}`, "xxxxxxxxxxxxxxx"]),
);

test.each<[string, JsonObject]>([
  ["one text", { a: "é".repeat(PIECE * PIECES) }],
  ["one name", { ['"'.repeat(PIECE * PIECES)]: 1 }],
  ["many names", many],
])("an event of %s", (_, metadata) => {
  const events = [partOf({}), partOf(metadata), partOf({ z: 1 })];
  const work = writeEventBytes(events, { pieceBytes: PIECE, maxBytes: MOST });
  let pieces = 1;
  let piece = work.next();
  for (; piece.done !== true; pieces += 1) piece = work.next();
  const { bytes, places } = piece.value;
  expect(Buffer.compare(bytes, Buffer.from(canonicalJson(events)))).toBe(0);
  expect(pieces).toBeGreaterThanOrEqual(PIECES);
  const whole = { pieceBytes: MOST, maxBytes: MOST };
  const atOnce = writeEventBytes(events, whole).next();
  expect(atOnce).toMatchObject({ done: true, value: { places } });
});

test("it ends before the first event that is larger than the limit", () => {
  const events = [partOf({}), partOf(many), partOf({ z: 1 })];
  const work = writeEventBytes(events, { pieceBytes: PIECE, maxBytes: 10 * PIECE });
  const { value } = work.next();
  expect(value).toMatchObject({ count: 1 });
  expect(Buffer.from((value as EventBytes).bytes).toString()).toBe(canonicalJson([partOf({})]));
});
