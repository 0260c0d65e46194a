// DELETE /v1/search/fields/{id} (docs/search-fields.md): ends a declared field.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { SearchFieldId } from "./render-search-field.ts";

export function deleteSearchField({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Delete a declared field",
    description: "Lists can no longer name it. No event changes.",
    params: idIn(SearchFieldId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await ledger.deleteSearchField(request, admittedBy(admission));
      return {};
    },
  });
}
