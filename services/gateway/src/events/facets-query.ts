// The parameters of facets, the request to the ledger that they make, and the response. Called by the routes
// that count values, for API keys and for widget tokens.

import type { Facet, FacetsRequestSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Static, Type } from "typebox";
import { dataOf } from "../render/data.ts";
import { CLOSED, Count, named, TextOrTexts } from "../render/schema.ts";
import { filterRequest } from "./event-query.ts";
import { COUNT_MEMBERS, requireMinutes } from "./histogram-query.ts";
import { fieldParameters, listFilterMembers } from "./render-event-filter.ts";

const MAX_FIELDS = 6;
const MAX_NAME_LENGTH = 70;
const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;

export const FacetsQuery = Type.Object(
  {
    ...listFilterMembers,
    field: TextOrTexts(
      { maxItems: MAX_FIELDS, maxLength: MAX_NAME_LENGTH },
      {
        description:
          "The field whose values are counted: `action`, `actor_id`, `actor_type`, `target_id`, `target_type`, " +
          `\`outcome\`, or \`field.\` and the name of a declared field. Repeatable, at most ${MAX_FIELDS}.`,
        examples: ["outcome"],
        ...COUNT_MEMBERS,
      },
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `Values of each field. Default: ${DEFAULT_LIMIT}.`,
        examples: [20],
        ...COUNT_MEMBERS,
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          "Only values that begin with it are counted. For one field, whose values are texts.",
        examples: ["user."],
        ...COUNT_MEMBERS,
      }),
    ),
  },
  { ...CLOSED, ...fieldParameters },
);

type Query = Static<typeof FacetsQuery>;

const FacetBody = named(
  "EventFacet",
  Type.Object({
    field: Type.String({ examples: ["outcome"], ...COUNT_MEMBERS }),
    values: Type.Array(
      Type.Object({
        value: Type.String({ examples: ["failure"] }),
        count: Count({ description: "Events with the value.", examples: [391] }),
      }),
      { description: "The most frequent first.", ...COUNT_MEMBERS },
    ),
    other: Count({
      description: "Counts of the values that are not listed.",
      examples: [0],
      ...COUNT_MEMBERS,
    }),
    missing: Count({
      description: "Events without a value, or without one that begins with `prefix`.",
      examples: [12],
      ...COUNT_MEMBERS,
    }),
    distinct: Count({
      description: "Different values that were counted.",
      examples: [2],
      ...COUNT_MEMBERS,
    }),
    exact: Type.Boolean({
      description: "Whether all events were counted. If not, the newest ones were: see `counted`.",
      examples: [true],
      ...COUNT_MEMBERS,
    }),
    counted: Type.Object(
      {
        events: Count({ description: "Events that match.", examples: [412] }),
        from_sequence: Count({
          description: "Events below this sequence number were not counted.",
          examples: [1],
        }),
      },
      COUNT_MEMBERS,
    ),
  }),
);

export const FacetsBody = dataOf(Type.Array(FacetBody));

/** Throws `invalid`. */
export function facetsRequest(query: Query): MessageInitShape<typeof FacetsRequestSchema> {
  const filter = filterRequest(query);
  requireMinutes(filter);
  return {
    filter,
    fields: [...new Set([query.field].flat())],
    limit: query.limit ?? DEFAULT_LIMIT,
    prefix: query.prefix ?? "",
  };
}

export function renderFacets(facets: readonly Facet[]): Static<typeof FacetsBody> {
  return {
    data: facets.map((facet) => ({
      field: facet.field,
      values: facet.values.map(({ count, value }) => ({ value, count: Number(count) })),
      other: Number(facet.other),
      missing: Number(facet.missing),
      distinct: Number(facet.distinct),
      exact: facet.isComplete,
      counted: { events: Number(facet.events), from_sequence: Number(facet.countedFrom) },
    })),
  };
}
