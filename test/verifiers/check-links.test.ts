// Guarantee: each event of a list is checked against the event before it, whatever the order of the list and
// whatever is missing, and two events with one number never pass.

import { expect, test } from "vitest";
import { checkLinks, GENESIS_HASH } from "@annals/proof";

const chain = [1, 2, 3, 4, 5].map((number) => ({
  sequence_number: number,
  hash: `hash ${number}`,
  previous_hash: number === 1 ? GENESIS_HASH : `hash ${number - 1}`,
}));

const verified = (count: number) => Array.from({ length: count }, () => "verified");

test("a chain from its beginning is verified, ascending and descending", () => {
  expect(checkLinks(chain)).toEqual(verified(5));
  expect(checkLinks(chain.toReversed())).toEqual(verified(5));
});

test("an event whose neighbour is not in the list is unchecked", () => {
  expect(checkLinks(chain.filter((_, at) => [1, 3, 4].includes(at)).toReversed())).toEqual([
    "verified",
    "unchecked",
    "unchecked",
  ]);
  expect(checkLinks([])).toEqual([]);
});

test("another hash, another previous hash, a forged beginning and a repeated number differ", () => {
  const change = (at: number, edit: object) =>
    chain.map((event, index) => (index === at ? { ...event, ...edit } : event));
  expect(checkLinks(change(2, { hash: "x" }))).toEqual(verified(5).with(3, "differs"));
  expect(checkLinks(change(2, { previous_hash: "x" }))).toEqual(verified(5).with(2, "differs"));
  expect(checkLinks(change(0, { previous_hash: "x" }))).toEqual(verified(5).with(0, "differs"));
  const forged = { sequence_number: 3, hash: "x", previous_hash: "hash 2" };
  expect(checkLinks([...chain, forged])).toEqual([
    "verified",
    "verified",
    "differs",
    "differs",
    "verified",
    "differs",
  ]);
});
