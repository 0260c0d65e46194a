// TestWebhook: queues one delivery of the event webhook.test, even if the webhook does not subscribe to it
// (docs/interface.md). It is attempted, retried and recorded like any other delivery.

import { complete } from "@annals/errors";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { webhookChange } from "../rules/audit-entries.ts";
import { entryOf } from "../../deliveries/rules/payload.ts";
import { queueDeliveries, type QueueDeliveriesDeps } from "../../deliveries/queue-deliveries.ts";
import { checkId } from "../webhook-members.ts";

/** Position that no entry of a producer has. */
const NO_POSITION = 0n;

export function testWebhook(
  deps: QueueDeliveriesDeps,
): ServiceImpl<typeof WebhooksService>["testWebhook"] {
  return async ({ accountId, webhookId }, context) => {
    complete({ account_id: accountId, webhook_id: webhookId });
    checkId(webhookId);
    const data = JSON.stringify({ webhook_id: webhookId });
    const entry = entryOf(NO_POSITION, "webhook.test", data);
    const change = { actor: actorOf(context), occurredAt: deps.clock.nowText() };
    const audit = webhookChange("tested", accountId, webhookId, change);
    const [deliveryId = ""] = await queueDeliveries(deps, {
      accountId,
      webhookId,
      entries: [entry],
      audit,
      signal: context.signal,
    });
    return { deliveryId };
  };
}
