// GET /v1/widget-tokens (docs/open-details.md): a page of the account's widget tokens that are valid, newest
// first.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf } from "../../render/page.ts";
import { CLOSED } from "../../render/schema.ts";
import { renderWidgetToken, WidgetTokenBody } from "../../render/widget-token.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

export function listWidgetTokens({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List widget tokens",
    description: "Those that are valid now, newest first.",
    openDetail: true,
    query: Type.Object(pageMembers, CLOSED),
    success: { status: 200, body: pageOf("WidgetTokenPage", WidgetTokenBody) },
    handle: async ({ admission, query, signal }) => {
      const { widgetTokens, next } = await keys.listWidgetTokens(
        {
          accountId: admission.accountId,
          limit: query.limit ?? DEFAULT_LIMIT,
          after: query.cursor ?? "",
        },
        admittedBy(admission, signal),
      );
      const isLast = next === "";
      return {
        body: {
          data: widgetTokens.map(renderWidgetToken),
          has_more: !isLast,
          next_cursor: isLast ? null : next,
        },
      };
    },
  });
}
