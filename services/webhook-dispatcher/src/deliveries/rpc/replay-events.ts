// ReplayEvents: queues the events of a range for a webhook again, as new deliveries (docs/interface.md):
// all that its filter selects, or none. The events are measured but not read, because a delivery names only a
// position.

import { complete, invalid, notFound } from "@annals/errors";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { webhookChange } from "../../webhooks/rules/audit-entries.ts";
import { filterOf } from "../../webhooks/rules/filter-history.ts";
import { type FieldPlace, placesOf } from "../../webhooks/rules/webhook-filter.ts";
import { replayLimit } from "../../store/daily-use.ts";
import { findWebhook } from "../../store/find-webhook.ts";
import { queueDeliveries } from "../queue-deliveries.ts";
import type { ReplayDeps } from "./replay-delivery.ts";
import { checkId } from "../../webhooks/webhook-members.ts";

/** Maximum events of one request. */
const MAX_EVENTS = 1_000n;

export function replayEvents(
  deps: ReplayDeps,
): ServiceImpl<typeof WebhooksService>["replayEvents"] {
  return async (request, context) => {
    const { accountId, webhookId, fromSequenceNumber: from, toSequenceNumber: to } = request;
    complete({ account_id: accountId, webhook_id: webhookId });
    checkId(webhookId);
    checkRange(from, to);
    const metadata = { from_sequence_number: String(from), to_sequence_number: String(to) };
    const change = { actor: actorOf(context), occurredAt: deps.clock.nowText(), metadata };
    const audit = webhookChange("replayed", accountId, webhookId, change);
    const deliveries = await deps.replayTurns.run(accountId, async () => {
      const range = [from - 1n, Number(to - from) + 1] as const;
      const fields = await fieldsOf(deps, accountId, webhookId, context.signal);
      const entries = await deps.producers.measure(accountId, ...range, fields);
      const retainedFrom =
        entries.length === 0 ? await deps.producers.retainedFrom(accountId, from) : undefined;
      if (retainedFrom !== undefined) {
        const message = `must be at least ${retainedFrom}: retention has deleted the events before`;
        throw invalid({ field: "from_sequence_number", message });
      }
      if (entries.at(-1)?.position !== to) {
        const message = "must not be beyond the last event";
        throw invalid({ field: "to_sequence_number", message });
      }
      const { signal } = context;
      return queueDeliveries(deps, {
        accountId,
        webhookId,
        entries,
        audit,
        signal,
        isFiltered: true,
        needsSuccess: true,
        replayLimit: replayLimit(context),
      });
    });
    return { deliveries: deliveries.length };
  };
}

/** The fields that the filter of the webhook reads. */
async function fieldsOf(
  deps: ReplayDeps,
  accountId: string,
  webhookId: string,
  signal: AbortSignal,
): Promise<FieldPlace[]> {
  const database = deps.database.forAccount(accountId, signal);
  const [webhook] = await database.run(findWebhook, [accountId, webhookId]);
  if (!webhook) throw notFound("webhook", webhookId);
  const filter = filterOf(webhook);
  return filter ? placesOf([filter]) : [];
}

function checkRange(from: bigint, to: bigint): void {
  if (from < 1n) throw invalid({ field: "from_sequence_number", message: "must be at least 1" });
  if (to < from) {
    const message = "must not be less than from_sequence_number";
    throw invalid({ field: "to_sequence_number", message });
  }
  if (to - from >= MAX_EVENTS) {
    const message = `must be at most ${MAX_EVENTS - 1n} more than from_sequence_number`;
    throw invalid({ field: "to_sequence_number", message });
  }
}
