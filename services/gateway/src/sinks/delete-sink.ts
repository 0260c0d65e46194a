// DELETE /v1/sinks/{id} (docs/interface.md): deletes a sink permanently, with its configuration.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { SinkId } from "./render-sink.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function deleteSink({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Delete a sink",
    description: "No batch begins after this response. One that is being sent may still arrive.",
    feature: "webhooks",
    params: idIn(SinkId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await webhooks.deleteSink(request, admittedBy(admission));
      return {};
    },
  });
}
