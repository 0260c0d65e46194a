// GET /v1/widget/events/facets (docs/interface.md): the same as GET /v1/events/facets, within what a widget
// token may see.

import { admittedBy } from "../admission/admission.ts";
import type { Deps } from "../deps.ts";
import { FacetsBody, FacetsQuery, facetsRequest, renderFacets } from "../events/facets-query.ts";
import { type Route, route } from "../route.ts";

export function countWidgetValues({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Count the values of fields in the events of a widget token",
    description:
      "Like GET /v1/events/facets, but limited to the filter of the token. A field of a part that the token " +
      "hides is 403.",
    query: FacetsQuery,
    success: { status: 200, body: FacetsBody },
    handle: async ({ admission, query, signal }) => {
      const request = { accountId: admission.accountId, facets: facetsRequest(query) };
      const { facets } = await ledger.countWidgetValues(request, admittedBy(admission, signal));
      return { body: renderFacets(facets) };
    },
  });
}
