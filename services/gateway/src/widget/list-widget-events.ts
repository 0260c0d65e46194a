// GET /v1/widget/events (docs/interface.md): a page of the events that a widget token may see, with their
// proofs. The ledger applies the token's filter; the parameters only narrow it.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { listBytes } from "../render/data.ts";
import { pageEnd } from "../render/page.ts";
import { named } from "../render/schema.ts";
import { renderWidgetEvent, WidgetEventBody, WidgetProofBody } from "./render-widget-event.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { ListQuery, listRequest, pageEndJson } from "../events/list-query.ts";

const Page = named(
  "WidgetEventPage",
  Type.Object({
    data: Type.Array(WidgetEventBody),
    proofs: Type.Array(WidgetProofBody),
    ...pageEnd,
  }),
);

export function listWidgetEvents({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List the events of a widget token",
    description:
      "Like GET /v1/events, but limited to the filter of the token, and always with proofs. A page ends at " +
      "768 KiB. Continue while has_more is true, even after an empty page.",
    query: ListQuery,
    success: { status: 200, body: Page },
    handle: async ({ admission, query, signal }) => {
      const request = listRequest(admission.accountId, query);
      const { events, nextAfter } = await ledger.listWidgetEvents(
        request,
        admittedBy(admission, signal),
      );
      const shown = events.map(renderWidgetEvent);
      const proofs = shown.map(({ proof }) => proof).join(",");
      const end = `],"proofs":[${proofs}],${pageEndJson(query, nextAfter)}}`;
      return {
        body: listBytes(
          shown.map(({ event }) => event),
          end,
        ),
      };
    },
  });
}
