// The filters of a list of events (docs/interface.md), and the same as an export takes and shows them.

import {
  MAX_ALL_FILTER_VALUES,
  MAX_FILTER_VALUE_LENGTH,
  MAX_FILTER_VALUES,
} from "@annals/contract";
import { Type } from "typebox";
import {
  CLOSED,
  named,
  openDetail,
  QueryTime,
  TextOrReadings,
  TextOrTexts,
} from "../render/schema.ts";

const FILTERS = openDetail("event-filters");
const REPEATED = openDetail("repeated-filters");

const SEVERAL = `One of up to ${MAX_FILTER_VALUES} values, ${MAX_ALL_FILTER_VALUES} in all filters.`;

const Values = (description: string, example: string) =>
  Type.Optional(
    TextOrTexts(
      { maxItems: MAX_FILTER_VALUES, maxLength: MAX_FILTER_VALUE_LENGTH },
      { description: `${description} ${SEVERAL}`, examples: [example], ...FILTERS, ...REPEATED },
    ),
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

const filterMembers = {
  action: Values("An exact match; with a `*` at the end, a prefix.", "invoice.*"),
  actor_id: Values("Exact.", "u_1"),
  actor_type: Values("Exact.", "user"),
  target_id: Values("Exact.", "inv_9"),
  target_type: Values("Exact.", "invoice"),
  occurred_from: When("At or after this time."),
  occurred_to: When("Before this time."),
  received_from: When("Received at or after this time."),
  received_to: When("Received before this time."),
  after_sequence: Sequence("Above this sequence number.", 40),
  before_sequence: Sequence("Below this sequence number.", 50),
};

const Not = (name: string) =>
  Values(`Leaves out events that \`${name}\` would select.`, "user.view");

const TEXT_LENGTH = { minLength: 3, maxLength: 128 };
const TEXT_DESCRIPTION =
  "Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z and A to Z " +
  "are the same. It has no index";
const Text = Type.Optional(
  TextOrReadings(TEXT_LENGTH, {
    description: `${TEXT_DESCRIPTION}, so a page can be short or empty: other filters make it quicker.`,
    examples: ["203.0.113."],
    ...FILTERS,
  }),
);

/** The same as the parameters of a list. */
export const listFilterMembers = {
  ...filterMembers,
  text: Text,
  outcome: Values(
    "Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any.",
    "failure",
  ),
  "not.action": Not("action"),
  "not.actor_id": Not("actor_id"),
  "not.actor_type": Not("actor_type"),
  "not.target_id": Not("target_id"),
  "not.target_type": Not("target_type"),
  "not.outcome": Not("outcome"),
};

/** Names of parameters of declared fields: of any of them, so the document cannot list them. */
export const FIELD_PARAMETER = /^(not\.)?field\.([A-Za-z0-9_.-]{1,64})$/;

const valuesOfFields = Values(
  "By declared fields: `field.` and the name of one, or `not.field.` and the name.",
  "5..10",
);

/** The values of each. */
export const fieldParameters = {
  patternProperties: {
    [FIELD_PARAMETER.source]: {
      ...valuesOfFields,
      examples: [{ "field.ip": "203.0.113.0/24" }],
    },
  },
};

const { action, actor_id, actor_type, target_id, target_type } = filterMembers;

/** Filters by values, in a body. */
export const valueMembers = {
  action,
  actor_id,
  actor_type,
  target_id,
  target_type,
  outcome: listFilterMembers.outcome,
  fields: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string | string[]>>>({
      type: "object",
      additionalProperties: valuesOfFields,
      maxProperties: MAX_ALL_FILTER_VALUES,
      description:
        "By declared fields: each by its name. What is stored keeps path and type of them.",
      examples: [{ ip: "203.0.113.0/24" }],
      ...FILTERS,
    }),
  ),
};

export const Excluded = Type.Object(valueMembers, {
  ...CLOSED,
  description: "Leaves out events that any of these members selects.",
  examples: [{ action: "user.view" }],
  ...FILTERS,
});

const bodyMembers = { ...filterMembers, ...valueMembers, not: Type.Optional(Excluded) };
const BODY_OPTIONS = {
  ...CLOSED,
  description: "The same filters as GET /v1/events. Default: all events.",
  examples: [{ action: "invoice.*", occurred_from: "2026-01-01T00:00:00Z" }],
  ...FILTERS,
};

export const FilterBody = named("EventFilter", Type.Object(bodyMembers, BODY_OPTIONS));

/** The same with `text`: of what reads events, and is not asked about each of them. */
export const SearchFilterBody = named(
  "SearchFilter",
  Type.Object(
    {
      ...bodyMembers,
      text: Type.Optional(
        Type.String({
          ...TEXT_LENGTH,
          description: `${TEXT_DESCRIPTION}: other filters make it quicker.`,
          examples: ["203.0.113."],
          ...FILTERS,
        }),
      ),
    },
    BODY_OPTIONS,
  ),
);
