// GET /v1/webhooks (interface 4.3): the account's webhooks, newest first, without their secrets.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { dataOf } from "../../render/data.ts";
import { renderWebhook, WebhookBody } from "../../render/webhook.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

export function listWebhooks({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "List webhooks",
    feature: "webhooks",
    success: { status: 200, body: dataOf(Type.Array(WebhookBody)) },
    handle: async ({ admission, signal }) => {
      const { accountId } = admission;
      const { webhooks: all } = await webhooks.listWebhooks(
        { accountId },
        admittedBy(admission, signal),
      );
      return { body: { data: all.map(renderWebhook) } };
    },
  });
}
