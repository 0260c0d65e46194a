// GET /v1/widget/events/histogram (docs/interface.md): the same as GET /v1/events/histogram, within what a
// widget token may see.

import { admittedBy } from "../admission/admission.ts";
import type { Deps } from "../deps.ts";
import { histogram, HistogramBody, HistogramQuery } from "../events/histogram-query.ts";
import { type Route, route } from "../route.ts";

export function countWidgetEvents({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Count the events of a widget token by time",
    description:
      "Like GET /v1/events/histogram, but limited to the filter of the token. A field of a part that the token " +
      "hides is 403. With a filter it counts the last ten years by default, in bars of weeks.",
    query: HistogramQuery,
    success: { status: 200, body: HistogramBody },
    handle: async ({ admission, query, signal }) => {
      const { accountId } = admission;
      const admitted = admittedBy(admission, signal);
      const body = await histogram(query, async (request) => {
        const found = await ledger.countWidgetEvents({ accountId, histogram: request }, admitted);
        return found.histogram;
      });
      return { body };
    },
  });
}
