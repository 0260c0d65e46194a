// Guarantee: a line that loses parts keeps every other byte, in whatever order the members of its parts are,
// and is the line that the ledger would render. Only the event that an erasure selects is selected.

import { erasedBits, eventJson, type Part, proofJson } from "@annals/event";
import { expect, test } from "vitest";
import { selects, sequenceOf, withoutParts } from "./archive-line.ts";

const SALTS = "0123456789abcdef".repeat(10);
const DIGESTS = "fedcba98".repeat(40);
const NO_SALT = "0".repeat(32);
const PARTS_IN_ORDER: readonly Part[] = ["actor", "context", "diff", "metadata", "target"];

/** A part whose members an object of JavaScript would put into another order. */
const ACTOR = '{"10":"ten","9":"nine","id":"a\\"d}a","n":1e+21,"text":"{\\\\\\"[é😀"}';
const METADATA = '{"deep":{"list":[1,{"b":"}"},"]"]}}';

function line(bits = 0, action = "a.b"): string {
  const erased = PARTS_IN_ORDER.filter((_, at) => (bits & (1 << at)) !== 0);
  const part = (name: Part, text: string) => (erased.includes(name) ? "{}" : text);
  const event = eventJson({
    id: "evt_1",
    sequenceNumber: 17,
    action,
    actor: part("actor", ACTOR),
    target: part("target", '{"id":"t"}'),
    context: part("context", "{}"),
    diff: part("diff", "{}"),
    metadata: part("metadata", METADATA),
    hash: "ab",
    previousHash: "cd",
    occurredAt: "2026-01-01T00:00:00.000000Z",
    receivedAt: "2026-01-01T00:00:00.000001Z",
    createdAt: "2026-01-01T00:00:00.000002Z",
    erased: bits,
  });
  const salts = PARTS_IN_ORDER.map((name, at) =>
    erased.includes(name) ? NO_SALT : SALTS.slice(32 * at, 32 * (at + 1)),
  ).join("");
  return `{"event":${event},"proof":${proofJson({ chain: "acct_1", salts, digests: DIGESTS }, erased)}}\n`;
}

const without = (given: string, bits: number) =>
  Buffer.from(withoutParts(Buffer.from(given), bits)).toString();

test.each([0, 1, 2, 8, 9, 16, 31])("the bits %i", (bits) => {
  expect(without(line(), bits)).toBe(line(bits));
  // Also what is erased already.
  expect(without(line(8), bits)).toBe(line(8 | bits));
  expect(without(line(bits), bits)).toBe(line(bits));
});

test("a line of another form is refused", () => {
  expect(() => without(line().replace(',"hash"', ',"more":1,"hash"'), 1)).toThrow(/another form/);
  expect(() => sequenceOf(Buffer.from('{"manifest":{}}\n'))).toThrow(/another form/);
  expect(sequenceOf(Buffer.from(line()))).toBe(17);
});

test.each([
  [{ actorId: 'a"d}a' }, line(), true],
  [{ actorId: "t" }, line(), false],
  [{ targetId: "t" }, line(), true],
  [{ targetId: "ten" }, line(), false],
  [{ actorId: 'a"d}a' }, line(erasedBits(["actor"])), false],
  [{ targetId: "t" }, line(0, "annals.erasure"), false],
  [{ eventId: "evt_1" }, line(), true],
  [{ eventId: "evt_1" }, line(31), true],
  [{ eventId: "evt_2" }, line(), false],
  [{ eventId: "t" }, line(), false],
  [{ eventId: "evt_1" }, line(0, "annals.hold"), false],
])("%j", (selector, given, isSelected) => {
  expect(selects(selector)(Buffer.from(given))).toBe(isSelected);
});
