// The filters of a list of events (docs/open-details.md), and the same as an export takes and shows them.

import { Type } from "typebox";
import { CLOSED, named, openDetail, QueryTime } from "./schema.ts";

const FILTERS = openDetail("event-filters");

const Text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description, examples: [example], ...FILTERS }),
  );
const Sequence = (description: string, example: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description,
      examples: [example],
      ...FILTERS,
    }),
  );
const When = (description: string) => Type.Optional(QueryTime(description, FILTERS));

export const filterMembers = {
  action: Text("An exact match; with a `*` at the end, a prefix.", "invoice.*"),
  actor_id: Text("Exact.", "u_1"),
  actor_type: Text("Exact.", "user"),
  target_id: Text("Exact.", "inv_9"),
  target_type: Text("Exact.", "invoice"),
  occurred_from: When("At or after this time."),
  occurred_to: When("Before this time."),
  after_sequence: Sequence("Above this sequence number.", 40),
  before_sequence: Sequence("Below this sequence number.", 50),
};

export const FilterBody = named(
  "EventFilter",
  Type.Object(filterMembers, {
    ...CLOSED,
    description: "The same filters as GET /v1/events. Default: all events.",
    examples: [{ action: "invoice.*", occurred_from: "2026-01-01T00:00:00Z" }],
    ...FILTERS,
  }),
);
