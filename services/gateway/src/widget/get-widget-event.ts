// GET /v1/widget/events/{id} (docs/interface.md): one event that a widget token may see, with its proof.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { EventId } from "../events/render-event.ts";
import { CLOSED, idIn } from "../render/schema.ts";
import { renderWidgetEvent, WidgetEventBody, WidgetProofBody } from "./render-widget-event.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { IncludeProof } from "../events/get-event.ts";

export function getWidgetEvent({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get an event of a widget token",
    description:
      "Returns 404 for an event outside the filter of the token, as for one that does not exist.",
    params: idIn(EventId),
    query: Type.Object({ include: IncludeProof }, CLOSED),
    success: {
      status: 200,
      body: Type.Object({ data: WidgetEventBody, proof: WidgetProofBody }),
    },
    failures: [404],
    handle: async ({ admission, params, signal }) => {
      const request = { accountId: admission.accountId, id: params.id };
      const response = await ledger.getWidgetEvent(request, admittedBy(admission, signal));
      const { event, proof } = renderWidgetEvent(response.event);
      return { body: `{"data":${event},"proof":${proof}}` };
    },
  });
}
