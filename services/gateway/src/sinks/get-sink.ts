// GET /v1/sinks/{id} (docs/interface.md): one sink, without its secrets.

import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { idIn } from "../render/schema.ts";
import { renderSink, SinkBody, SinkId } from "./render-sink.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function getSink({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Get a sink",
    feature: "webhooks",
    params: idIn(SinkId),
    success: { status: 200, body: dataOf(SinkBody) },
    failures: [404],
    handle: async ({ admission, params, signal }) => {
      const request = { accountId: admission.accountId, id: params.id };
      const { sink } = await webhooks.getSink(request, admittedBy(admission, signal));
      return { body: { data: renderSink(sink) } };
    },
  });
}
