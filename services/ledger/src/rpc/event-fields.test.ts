// Guarantee: the .proto fields of an event are the members of the table in libs/event, so that a member that
// is missing in one of the two is found.

import { COPIES, EVENT_MEMBERS, PARTS } from "@annals/event";
import { NewEventSchema, StoredEventSchema } from "@annals/proto/ledger";
import { expect, test } from "vitest";

const namesOf = (schema: typeof NewEventSchema | typeof StoredEventSchema) =>
  schema.fields.map(({ name }) => name).toSorted();

test("a stored event has every member, and its proof", () => {
  const members = Object.keys(EVENT_MEMBERS);
  expect(namesOf(StoredEventSchema)).toStrictEqual([...members, "proof"].toSorted());
});

test("a new event has what the client sends, and the copies for filters", () => {
  const sent = ["action", "occurred_at", ...PARTS, ...COPIES];
  expect(namesOf(NewEventSchema)).toStrictEqual(sent.toSorted());
});
