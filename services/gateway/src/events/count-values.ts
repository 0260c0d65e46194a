// GET /v1/events/facets (docs/interface.md): the most frequent values of fields, each with its events.

import { admittedBy } from "../admission/admission.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { FacetsBody, FacetsQuery, facetsRequest, renderFacets } from "./facets-query.ts";

export function countValues({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Count the values of fields",
    description:
      "Takes the filters of GET /v1/events. Counts are exact over what they name: if a request may not read more, " +
      "the newest events were counted. occurred_from and occurred_to must be whole minutes.",
    query: FacetsQuery,
    success: { status: 200, body: FacetsBody },
    handle: async ({ admission, query, signal }) => {
      const request = { accountId: admission.accountId, facets: facetsRequest(query) };
      const { facets } = await ledger.countValues(request, admittedBy(admission, signal));
      return { body: renderFacets(facets) };
    },
  });
}
