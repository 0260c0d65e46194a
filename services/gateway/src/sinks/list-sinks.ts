// GET /v1/sinks (docs/interface.md): a page of the account's sinks, newest first, without their secrets.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { largePageMembers, MAX_LIMIT, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { renderSink, SinkBody } from "./render-sink.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listSinks({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "List sinks",
    feature: "webhooks",
    query: Type.Object(largePageMembers, CLOSED),
    success: { status: 200, body: pageOf("SinkPage", SinkBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = MAX_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const response = await webhooks.listSinks(request, admittedBy(admission, signal));
      return { body: renderPage(response.sinks.map(renderSink), response.next) };
    },
  });
}
