// ReplayEvents: queues the events of a range for a webhook again, as new deliveries (docs/interface.md):
// all that its filter selects, or none. The events are measured but not read, because a delivery names only a
// position.

import { complete, invalid, unavailable } from "@annals/errors";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { webhookChange } from "../../webhooks/rules/audit-entries.ts";
import type { FieldPlace } from "../../webhooks/rules/webhook-filter.ts";
import type { MeasuredEvent } from "../../outbound/producers.ts";
import { FieldsNeeded } from "../rules/fields-needed.ts";
import { replayLimit } from "../../store/daily-use.ts";
import { queueDeliveries } from "../queue-deliveries.ts";
import type { ReplayDeps } from "./replay-delivery.ts";
import { checkId } from "../../webhooks/webhook-members.ts";

/** Maximum events of one request. */
const MAX_EVENTS = 1_000n;
/** Maximum tries of a request whose filter reads fields. */
const MAX_TRIES = 3;
const CHANGED = "The filter of the webhook was changed meanwhile.";
/** Seconds after which a client may retry. */
const CHANGED_RETRY_S = 1;

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
    const queued = { accountId, webhookId, audit, signal: context.signal };
    const limit = replayLimit(context);
    const deliveries = await deps.replayTurns.run(accountId, async () => {
      const attempt = async (fields: readonly FieldPlace[]) => {
        const entries = await measured(deps, accountId, { from, to }, fields);
        const given = { ...queued, entries, isFiltered: true, needsSuccess: true };
        return queueDeliveries(deps, { ...given, replayLimit: limit });
      };
      return withFields(attempt);
    });
    return { deliveries: deliveries.length };
  };
}

/** Tries without fields, and again with those that the filter reads. It may be changed again meanwhile. */
async function withFields<T>(attempt: (fields: readonly FieldPlace[]) => Promise<T>): Promise<T> {
  let fields: readonly FieldPlace[] = [];
  for (let tries = 1; ; tries += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- each try begins with what the one before has needed
      return await attempt(fields);
    } catch (error) {
      if (!(error instanceof FieldsNeeded)) throw error;
      if (tries === MAX_TRIES) throw unavailable(CHANGED, undefined, CHANGED_RETRY_S);
      ({ fields } = error);
    }
  }
}

/** The events of the range, with what filters read of them. Throws `invalid` if some do not exist. */
async function measured(
  { producers }: ReplayDeps,
  accountId: string,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  fields: readonly FieldPlace[],
): Promise<MeasuredEvent[]> {
  const entries = await producers.measure(accountId, from - 1n, Number(to - from) + 1, fields);
  const retainedFrom =
    entries.length === 0 ? await producers.retainedFrom(accountId, from) : undefined;
  if (retainedFrom !== undefined) {
    const message = `must be at least ${retainedFrom}: retention has deleted the events before`;
    throw invalid({ field: "from_sequence_number", message });
  }
  if (entries.at(-1)?.position !== to) {
    const message = "must not be beyond the last event";
    throw invalid({ field: "to_sequence_number", message });
  }
  return entries;
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
