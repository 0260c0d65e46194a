// GET /v1/webhooks/{id}/deliveries (interface 2.4 and 4.3): a page of the deliveries that were
// attempted, newest first.

import { Type } from "typebox";
import { DeliveryBody, renderDelivery } from "../../render/webhook.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../v1.ts";
import { makeCursor, readCursor } from "../events/cursor.ts";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;

const open = { "x-annals-open-detail": true };

const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `${DEFAULT_LIMIT} unless told.`,
        ...open,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "The next_cursor of the page before.",
        ...open,
      }),
    ),
  },
  { additionalProperties: false },
);

const Page = Type.Object({
  data: Type.Array(DeliveryBody),
  has_more: Type.Boolean(open),
  next_cursor: Type.Union([Type.String(), Type.Null()], open),
});

export function listDeliveries({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "List the deliveries of a webhook",
    feature: "webhooks",
    params: Type.Object({ id: Type.String() }),
    query: Query,
    success: { status: 200, body: Page },
    failures: [404],
    handle: async ({ admission, params, query }) => {
      const selection = ["deliveries", params.id];
      const { deliveries, next } = await webhooks.listDeliveries({
        accountId: admission.accountId,
        webhookId: params.id,
        limit: query.limit ?? DEFAULT_LIMIT,
        after: query.cursor === undefined ? "" : String(readCursor(query.cursor, selection)),
      });
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
