// A saved search as JSON, and what a request says of one (docs/interface.md).

import { internal } from "@annals/errors";
import type { SavedSearch } from "@annals/proto/ledger";
import { SIMPLE_NAME } from "@annals/contract";
import { Type } from "typebox";
import { SearchFilterBody } from "../events/render-event-filter.ts";
import { CLOSED, Id, named, openDetail, Time } from "../render/schema.ts";
import { FieldName, FieldPath, FieldTypeBody, IgnoreCase } from "../search/render-search-field.ts";

export const SavedSearchId = Id("srch", "4d8k2m6p0r3t7v1x5z9b2c4f6g");

/** What a search is saved with, and what a response shows of it. */
export const SAVED_SEARCH_MEMBERS = openDetail("saved-search-members");

const MAX_NAME_LENGTH = 128;
const MAX_VIEW_LENGTH = 128;
const MAX_COLUMNS = 32;

export const SearchName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: "What people call it. Several searches may have the same.",
  examples: ["Failed log-ins"],
});

const viewText = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_VIEW_LENGTH,
      description,
      examples: [example],
      ...SAVED_SEARCH_MEMBERS,
    }),
  );

export const SearchViewBody = named(
  "SearchView",
  Type.Object(
    {
      range: viewText("The range of time as the screen that saved it writes it.", "30d"),
      columns: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: MAX_VIEW_LENGTH }), {
          maxItems: MAX_COLUMNS,
          description: "The columns of the table, in order.",
          examples: [["occurred_at", "action", "actor", "context.ip"]],
          ...SAVED_SEARCH_MEMBERS,
        }),
      ),
      by: viewText("The field that splits the bars.", "outcome"),
    },
    {
      ...CLOSED,
      description: "How it is shown. The service keeps it and does not read it.",
      examples: [{ range: "30d", by: "outcome" }],
      ...SAVED_SEARCH_MEMBERS,
    },
  ),
);

export const SavedSearchBody = named(
  "SavedSearch",
  Type.Object(
    {
      id: SavedSearchId,
      name: SearchName,
      filter: SearchFilterBody,
      view: SearchViewBody,
      fields: Type.Array(
        Type.Object(
          { name: FieldName, path: FieldPath, type: FieldTypeBody, ignore_case: IgnoreCase },
          SAVED_SEARCH_MEMBERS,
        ),
        {
          description:
            "The declared fields that the filter names, as they were when it was set. A list takes only fields that " +
            "are declared now.",
          examples: [[{ name: "ip", path: "context.ip", type: "ip", ignore_case: false }]],
        },
      ),
      has_erased: Type.Boolean({
        description:
          "Whether an erasure has taken a value out of it since its filter was set: then it selects other events.",
        examples: [false],
      }),
      created_at: Time(),
      updated_at: Time(),
    },
    SAVED_SEARCH_MEMBERS,
  ),
);

export function renderSavedSearch(search: SavedSearch | undefined) {
  if (!search) throw internal("the ledger responded without a saved search");
  return {
    id: search.id,
    name: search.name,
    filter: JSON.parse(search.filterJson),
    view: JSON.parse(search.viewJson),
    fields: search.fields.map(({ ignoreCase, name, path, type }) => ({
      name,
      path: path.every((step) => SIMPLE_NAME.test(step)) ? path.join(".") : path,
      type,
      ignore_case: ignoreCase,
    })),
    has_erased: search.hasErased,
    created_at: search.createdAt,
    updated_at: search.updatedAt,
  };
}
