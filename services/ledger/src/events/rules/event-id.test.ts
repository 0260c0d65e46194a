// Guarantee: an id leads back to its sequence number and to no other; no other text is taken for an id.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventId, ID_RANDOM_BYTES, sequenceOfId } from "./event-id.ts";

const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });
const sequence = fc.oneof(
  fc.integer({ min: 1, max: 5_000 }),
  fc.maxSafeInteger().map((n) => Math.abs(n) || 1),
);

describe("eventId", () => {
  test("has the shape of section 6 of the interface and leads back to its sequence number", () => {
    fc.assert(
      fc.property(sequence, random, (number, bytes) => {
        const id = eventId(number, bytes);
        expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
        expect(sequenceOfId(id)).toBe(number);
      }),
    );
  });

  test("sorts as the sequence numbers do", () => {
    fc.assert(
      fc.property(sequence, sequence, random, (a, b, bytes) => {
        expect(eventId(a, bytes) < eventId(b, bytes)).toBe(a < b);
      }),
    );
  });

  test("differs with its random bytes", () => {
    const ids = Array.from({ length: 32 }, (_, n) =>
      eventId(7, new Uint8Array(ID_RANDOM_BYTES).fill(n)),
    );
    expect(new Set(ids).size).toBe(32);
  });
});

describe("sequenceOfId", () => {
  test.each([
    "",
    "evt_",
    `evt_${"0".repeat(26)}`,
    `evt_${"0".repeat(12)}1${"0".repeat(12)}`,
    `evt_${"0".repeat(12)}1${"0".repeat(14)}`,
    `evt_${"0".repeat(12)}i${"0".repeat(13)}`,
    `evt_${"0".repeat(12)}u${"0".repeat(13)}`,
    `EVT_${"0".repeat(12)}1${"0".repeat(13)}`,
    `evt_${"0".repeat(12)}A${"0".repeat(13)}`,
    `evt_${"z".repeat(26)}`,
    `key_${"0".repeat(12)}1${"0".repeat(13)}`,
    ` evt_${"0".repeat(12)}1${"0".repeat(13)}`,
    `evt_${"0".repeat(12)}1${"0".repeat(13)}\n`,
  ])("%j is no id", (text) => {
    expect(sequenceOfId(text)).toBeUndefined();
  });
});
