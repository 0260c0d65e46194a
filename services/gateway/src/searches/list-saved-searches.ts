// GET /v1/searches (docs/interface.md): all searches that the account keeps, the oldest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { renderSavedSearch, SavedSearchBody } from "./render-saved-search.ts";

export function listSavedSearches({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List saved searches",
    description: "All of them, the oldest first.",
    success: { status: 200, body: dataOf(Type.Array(SavedSearchBody)) },
    handle: async ({ admission, signal }) => {
      const { accountId } = admission;
      const { searches } = await ledger.listSavedSearches(
        { accountId },
        admittedBy(admission, signal),
      );
      return { body: { data: searches.map(renderSavedSearch) } };
    },
  });
}
