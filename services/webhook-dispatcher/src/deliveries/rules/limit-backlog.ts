// The bounds on the pending deliveries of an account, of their number and of the bytes of their bodies, and
// how its webhooks share them: half of a bound is divided evenly, and the rest is for those that need it. So
// a webhook whose receiver is dead does not take the capacity of the account's others. Called by the fan-out,
// and for what clients queue.

import type { PlannedDelivery } from "./plan-fan-out.ts";

export interface Pending {
  readonly webhook_id: string;
  readonly pending: number;
  readonly bytes: number;
}

export interface BacklogLimit {
  readonly maxPending: number;
  readonly maxPendingBytes: number;
  /** Pending deliveries of each webhook of the account that has some. */
  readonly pending: readonly Pending[];
  /** Webhooks that share the bounds with those that have pending deliveries. */
  readonly webhookIds: readonly string[];
  /** Returns the bytes of the body of an entry, by its ordinal from 1. */
  readonly bytesOf: (ordinal: number) => number;
}

export interface LimitedDeliveries {
  readonly kept: readonly PlannedDelivery[];
  readonly dropped: readonly PlannedDelivery[];
}

/** Keeps deliveries in the order of the plan. After a dropped delivery, none of its webhook is kept. */
export function limitBacklog(
  planned: readonly PlannedDelivery[],
  { bytesOf, maxPending, maxPendingBytes, pending, webhookIds }: BacklogLimit,
): LimitedDeliveries {
  const webhooks = new Set([...webhookIds, ...pending.map((row) => row.webhook_id)]).size;
  const count = new Bound(maxPending, webhooks);
  const bytes = new Bound(maxPendingBytes, webhooks);
  for (const row of pending) {
    count.add(row.webhook_id, row.pending);
    bytes.add(row.webhook_id, row.bytes);
  }
  const full = new Set<string>();
  const kept: PlannedDelivery[] = [];
  const dropped: PlannedDelivery[] = [];
  for (const delivery of planned) {
    const { ordinal, webhookId } = delivery;
    const size = bytesOf(ordinal);
    if (full.has(webhookId) || !count.hasRoom(webhookId, 1) || !bytes.hasRoom(webhookId, size)) {
      full.add(webhookId);
      dropped.push(delivery);
      continue;
    }
    kept.push(delivery);
    count.add(webhookId, 1);
    bytes.add(webhookId, size);
  }
  return { kept, dropped };
}

class Bound {
  readonly #share: number;
  /** What all webhooks may have together for one of them to exceed its share. */
  readonly #common: number;
  readonly #of = new Map<string, number>();
  #total = 0;

  constructor(max: number, webhooks: number) {
    this.#share = Math.floor(max / (2 * webhooks));
    this.#common = max - this.#share * (webhooks - 1);
  }

  hasRoom(webhookId: string, amount: number): boolean {
    const own = (this.#of.get(webhookId) ?? 0) + amount;
    return own <= this.#share || this.#total + amount <= this.#common;
  }

  add(webhookId: string, amount: number): void {
    this.#of.set(webhookId, (this.#of.get(webhookId) ?? 0) + amount);
    this.#total += amount;
  }
}
