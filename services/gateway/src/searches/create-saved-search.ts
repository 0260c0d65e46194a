// POST /v1/searches (docs/interface.md): saves a search for all keys and people with events:read.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { bodyFilterRequest, filterText } from "../events/event-query.ts";
import { SearchFilterBody } from "../events/render-event-filter.ts";
import { dataOf } from "../render/data.ts";
import { askedOnce, ONCE_HEADER, OnceHeaders, onceHeaders } from "../render/idempotent-requests.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import {
  renderSavedSearch,
  SAVED_SEARCH_MEMBERS,
  SavedSearchBody,
  SearchName,
  SearchViewBody,
} from "./render-saved-search.ts";

const Body = named(
  "NewSavedSearch",
  Type.Object(
    {
      name: SearchName,
      filter: Type.Optional(SearchFilterBody),
      view: Type.Optional(SearchViewBody),
    },
    { ...CLOSED, ...SAVED_SEARCH_MEMBERS },
  ),
);

export function createSavedSearch({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Save a search",
    description:
      "Everyone who may read the account's events sees it, and may change and delete it. It has at most 4,096 bytes.",
    body: Body,
    headers: OnceHeaders,
    success: { status: 201, body: dataOf(SavedSearchBody), headers: ONCE_HEADER },
    planLimit: "count",
    handle: async ({ admission, body, headers }) => {
      const { filter = {}, name, view = {} } = body;
      const request = {
        accountId: admission.accountId,
        name,
        filter: bodyFilterRequest(filter),
        filterJson: filterText(filter),
        viewJson: JSON.stringify(view),
        ...askedOnce(headers, body),
      };
      const { replayed, search } = await ledger.createSavedSearch(request, admittedBy(admission));
      return { body: { data: renderSavedSearch(search) }, ...onceHeaders(replayed) };
    },
  });
}
