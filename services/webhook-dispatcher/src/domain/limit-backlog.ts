// The bound on the pending deliveries of an account, and how its webhooks share it: half of the bound is
// divided evenly, and the rest is for whoever needs it. So a webhook whose receiver is dead does not take the
// capacity of the account's others. Called by the fan-out.

import type { PlannedDelivery } from "./plan-fan-out.ts";

export interface BacklogLimit {
  readonly maxPending: number;
  /** Pending deliveries of each webhook of the account that has some. */
  readonly pending: ReadonlyMap<string, number>;
  /** The webhooks that share the bound with those that have some pending. */
  readonly webhookIds: readonly string[];
}

export interface LimitedDeliveries {
  readonly kept: readonly PlannedDelivery[];
  readonly dropped: readonly PlannedDelivery[];
}

/** In the order of the plan; for no webhook is anything kept behind what was dropped. */
export function limitBacklog(
  planned: readonly PlannedDelivery[],
  { maxPending, pending: before, webhookIds }: BacklogLimit,
): LimitedDeliveries {
  const pending = new Map(before);
  const webhooks = new Set([...webhookIds, ...pending.keys()]).size;
  const share = Math.floor(maxPending / (2 * webhooks));
  const common = maxPending - share * (webhooks - 1);
  let total = [...pending.values()].reduce((sum, count) => sum + count, 0);
  const full = new Set<string>();
  const kept: PlannedDelivery[] = [];
  const dropped: PlannedDelivery[] = [];
  for (const delivery of planned) {
    const { webhookId } = delivery;
    const own = pending.get(webhookId) ?? 0;
    if (full.has(webhookId) || (own >= share && total >= common)) {
      full.add(webhookId);
      dropped.push(delivery);
      continue;
    }
    kept.push(delivery);
    pending.set(webhookId, own + 1);
    total += 1;
  }
  return { kept, dropped };
}
