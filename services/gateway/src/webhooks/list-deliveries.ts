// GET /v1/webhooks/{id}/deliveries (interface 9.2): a page of the deliveries that were
// attempted, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf } from "../render/page.ts";
import { CLOSED, idIn } from "../render/schema.ts";
import { DeliveryBody, renderDelivery, WebhookId } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { makeCursor, readCursor } from "../events/cursor.ts";

const Query = Type.Object(pageMembers, CLOSED);

export function listDeliveries({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "List the deliveries of a webhook",
    feature: "webhooks",
    params: idIn(WebhookId),
    query: Query,
    success: { status: 200, body: pageOf("DeliveryPage", DeliveryBody) },
    failures: [404],
    handle: async ({ admission, params, query, signal }) => {
      const selection = ["deliveries", params.id];
      const { deliveries, next } = await webhooks.listDeliveries(
        {
          accountId: admission.accountId,
          webhookId: params.id,
          limit: query.limit ?? DEFAULT_LIMIT,
          after: query.cursor === undefined ? "" : String(readCursor(query.cursor, selection)),
        },
        admittedBy(admission, signal),
      );
      const more = next !== "";
      return {
        body: {
          data: deliveries.map(renderDelivery),
          has_more: more,
          next_cursor: more ? makeCursor(BigInt(next), selection) : null,
        },
      };
    },
  });
}
