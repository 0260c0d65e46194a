// GET /v1/widget-tokens (docs/interface.md): a page of the widget tokens that are valid, newest first:
// those that the key of the request has made, with keys:manage those of all keys.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { renderWidgetToken, WidgetTokenBody } from "./render-widget-token.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listWidgetTokens({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List widget tokens",
    description:
      "Live tokens, newest first: those created by the key of the request, or with the scope " +
      "keys:manage those of all keys.",
    query: Type.Object(pageMembers, CLOSED),
    success: { status: 200, body: pageOf("WidgetTokenPage", WidgetTokenBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = DEFAULT_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const response = await keys.listWidgetTokens(request, admittedBy(admission, signal));
      return { body: renderPage(response.widgetTokens.map(renderWidgetToken), response.next) };
    },
  });
}
