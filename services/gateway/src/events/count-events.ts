// GET /v1/events/histogram (docs/interface.md): how many events there are, by bars of time and by the values
// of a field.

import { admittedBy } from "../admission/admission.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { histogram, HistogramBody, HistogramQuery } from "./histogram-query.ts";

export function countEvents({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Count events by time",
    description:
      "Takes the filters of GET /v1/events. Counts are exact: if a page may not read more, it is not complete, " +
      "has counted the newest events, and goes on with next_cursor. occurred_from and occurred_to must be whole " +
      "minutes.",
    query: HistogramQuery,
    success: { status: 200, body: HistogramBody },
    handle: async ({ admission, query, signal }) => {
      const { accountId } = admission;
      const admitted = admittedBy(admission, signal);
      const body = await histogram(query, async (request) => {
        const found = await ledger.countEvents({ accountId, histogram: request }, admitted);
        return found.histogram;
      });
      return { body };
    },
  });
}
