// DELETE /v1/searches/{id} (docs/interface.md): deletes a saved search.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { SavedSearchId } from "./render-saved-search.ts";

export function deleteSavedSearch({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Delete a saved search",
    description: "No event changes.",
    params: idIn(SavedSearchId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await ledger.deleteSavedSearch(request, admittedBy(admission));
      return {};
    },
  });
}
