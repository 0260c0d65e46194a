// GET /v1/sinks/{id}/status (docs/interface.md): whether a sink is sent events, and how far it is behind.

import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { idIn } from "../render/schema.ts";
import { SinkId } from "./render-sink.ts";
import { renderSinkStatus, SinkStatusBody } from "./render-sink-status.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function getSinkStatus({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Get the status of a sink",
    feature: "webhooks",
    params: idIn(SinkId),
    success: { status: 200, body: dataOf(SinkStatusBody) },
    failures: [404],
    handle: async ({ admission, params, signal }) => {
      const request = { accountId: admission.accountId, id: params.id };
      const status = await webhooks.getSinkStatus(request, admittedBy(admission, signal));
      return { body: { data: renderSinkStatus(status) } };
    },
  });
}
