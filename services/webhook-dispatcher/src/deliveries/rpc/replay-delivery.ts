// ReplayDelivery: queues the entry of an attempted delivery again, as a new delivery (docs/interface.md).
// A delivery of an event names its position; another entry is read from its producer.

import { complete, invalid, notFound } from "@annals/errors";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { webhookChange } from "../../webhooks/rules/audit-entries.ts";
import { eventOf, KINDS } from "../../webhooks/rules/kinds.ts";
import type { Producers } from "../../outbound/producers.ts";
import { replayLimit } from "../../store/daily-use.ts";
import { findDelivery, type FoundDelivery } from "../store/find-delivery.ts";
import { findWebhook } from "../../store/find-webhook.ts";
import { queueDeliveries, type QueueDeliveriesDeps } from "../queue-deliveries.ts";
import type { ReplayTurns } from "../replay-turns.ts";
import { checkId } from "../../webhooks/webhook-members.ts";

export interface ReplayDeps extends QueueDeliveriesDeps {
  readonly producers: Pick<Producers, "entries" | "measure" | "retainedFrom">;
  readonly replayTurns: ReplayTurns;
}

/** Number of a webhook's newest attempted deliveries that may be replayed by their id. */
const NEWEST = 10_000;

export function replayDelivery(
  deps: ReplayDeps,
): ServiceImpl<typeof WebhooksService>["replayDelivery"] {
  return async ({ accountId, webhookId, deliveryId }, context) => {
    complete({ account_id: accountId, webhook_id: webhookId, delivery_id: deliveryId });
    checkId(webhookId);
    const { signal } = context;
    const database = deps.database.forAccount(accountId, signal);
    const [webhook] = await database.run(findWebhook, [accountId, webhookId]);
    if (!webhook) throw notFound("webhook", webhookId);
    if (!/^wh_del_[0-9a-z]{1,64}$/.test(deliveryId)) throw notFound("delivery", deliveryId);
    const params: [string, string, string, number] = [accountId, webhookId, deliveryId, NEWEST];
    const [found] = await database.run(findDelivery, params);
    if (!found) throw notFound("delivery", deliveryId);
    const metadata = { delivery_id: deliveryId };
    const change = { actor: actorOf(context), occurredAt: deps.clock.nowText(), metadata };
    const audit = webhookChange("replayed", accountId, webhookId, change);
    const [id = ""] = await deps.replayTurns.run(accountId, async () => {
      const entries = [await read(deps.producers, accountId, webhookId, found)];
      const limit = replayLimit(context);
      const queued = { accountId, webhookId, entries, audit, signal, replayLimit: limit };
      return queueDeliveries(deps, queued);
    });
    return { deliveryId: id };
  };
}

async function read(
  producers: ReplayDeps["producers"],
  accountId: string,
  webhookId: string,
  { event, position: text }: FoundDelivery,
) {
  if (text === null) throw isTest(webhookId);
  const position = BigInt(text);
  const kind = KINDS.find((one) => eventOf(one) === event);
  const after = position - 1n;
  const [entry] =
    kind === undefined || after < 0n
      ? []
      : kind === "events"
        ? await producers.measure(accountId, after, 1)
        : await producers.entries(kind, accountId, after, 1);
  if (entry?.position !== position) {
    const message = "cannot be replayed: its data is no longer kept";
    throw invalid({ field: "delivery_id", message });
  }
  return entry;
}

function isTest(webhookId: string) {
  const message =
    "must not be the id of a test delivery: " +
    `send another one (POST /v1/webhooks/${webhookId}/test)`;
  return invalid({ field: "delivery_id", message });
}
