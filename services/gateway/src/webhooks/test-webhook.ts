// POST /v1/webhooks/{id}/test (docs/interface.md): queues a delivery of the event webhook.test.

import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { idIn } from "../render/schema.ts";
import { QueuedDelivery, WebhookId } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function testWebhook({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Send a test delivery",
    description:
      "Queues a delivery of the event `webhook.test`, even if the webhook does not subscribe to it. The delivery is retried and " +
      "recorded like any other. Returns 422 if the webhook is disabled.",
    feature: "webhooks",
    params: idIn(WebhookId),
    success: { status: 201, body: dataOf(QueuedDelivery) },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, webhookId: params.id };
      const { deliveryId } = await webhooks.testWebhook(request, admittedBy(admission));
      return { body: { data: { id: deliveryId } } };
    },
  });
}
