// Guarantee: the .proto fields of a stored event are the members of the table in libs/event, and events as
// bytes have the places of what a client sends, so that a member that is missing in one of them is found.

import { COPIES, EVENT_MEMBERS, PARTS, PLACED } from "@annals/event";
import { StoredEventSchema } from "@annals/proto/ledger";
import { expect, test } from "vitest";

test("a stored event has every member, its erased parts, and its proof", () => {
  const members = Object.keys(EVENT_MEMBERS);
  const names = StoredEventSchema.fields.map(({ name }) => name);
  expect(names.toSorted()).toStrictEqual([...members, "erased", "proof"].toSorted());
});

test("a new event has what the client sends, and the copies for filters", () => {
  const sent = ["action", "occurred_at", ...PARTS, ...COPIES];
  expect(PLACED.toSorted()).toStrictEqual(sent.toSorted());
});
