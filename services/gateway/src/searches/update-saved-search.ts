// PATCH /v1/searches/{id} (docs/interface.md): changes a saved search. What is left out stays.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { bodyFilterRequest, filterText } from "../events/event-query.ts";
import { SearchFilterBody } from "../events/render-event-filter.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import {
  renderSavedSearch,
  SAVED_SEARCH_MEMBERS,
  SavedSearchBody,
  SavedSearchId,
  SearchName,
  SearchViewBody,
} from "./render-saved-search.ts";

const Body = named(
  "SavedSearchUpdate",
  Type.Object(
    {
      name: Type.Optional(SearchName),
      filter: Type.Optional(SearchFilterBody),
      view: Type.Optional(SearchViewBody),
    },
    { ...CLOSED, ...SAVED_SEARCH_MEMBERS },
  ),
);

export function updateSavedSearch({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Change a saved search",
    description: "Replaces each member that is given; `filter` and `view` as a whole.",
    params: idIn(SavedSearchId),
    body: Body,
    success: { status: 200, body: dataOf(SavedSearchBody) },
    failures: [404],
    handle: async ({ admission, body, params }) => {
      const { filter, name, view } = body;
      const request = {
        accountId: admission.accountId,
        id: params.id,
        ...(name !== undefined && { name }),
        ...(filter && { filter: bodyFilterRequest(filter), filterJson: filterText(filter) }),
        ...(view && { viewJson: JSON.stringify(view) }),
      };
      const { search } = await ledger.updateSavedSearch(request, admittedBy(admission));
      return { body: { data: renderSavedSearch(search) } };
    },
  });
}
