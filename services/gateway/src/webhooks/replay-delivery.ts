// POST /v1/webhooks/{id}/deliveries/{delivery_id}/replay (docs/interface.md): queues what a delivery was
// made for again, as a new delivery.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { DeliveryId, QueuedDelivery, WebhookId } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function replayDelivery({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Replay a delivery",
    description:
      "Queues a new delivery with the same `data` and new ids, for one of the newest 10,000 attempted " +
      "deliveries. Returns 422 if the webhook is disabled.",
    feature: "webhooks",
    params: Type.Object({ id: WebhookId, delivery_id: DeliveryId }),
    success: { status: 201, body: dataOf(QueuedDelivery) },
    failures: [404],
    handle: async ({ admission, params }) => {
      const { deliveryId } = await webhooks.replayDelivery(
        {
          accountId: admission.accountId,
          webhookId: params.id,
          deliveryId: params.delivery_id,
        },
        admittedBy(admission),
      );
      return { body: { data: { id: deliveryId } } };
    },
  });
}
