// Which webhook receives which entry: each entry goes to each subscriber that starts before it. Called by the
// fan-out within the transaction that moves the cursor.

import type { Entry } from "./payload.ts";

export interface Subscriber {
  readonly id: string;
  /** Position after which it receives entries. */
  readonly startsAfter: bigint;
}

export interface PlannedDelivery {
  readonly webhookId: string;
  /** The ordinal of its entry, from 1. */
  readonly ordinal: number;
}

/** Plans in the order of the entries, so that each webhook's queue begins with the oldest. */
export function planFanOut(
  entries: readonly Entry[],
  subscribers: readonly Subscriber[],
): PlannedDelivery[] {
  return entries.flatMap(({ position }, index) =>
    subscribers
      .filter(({ startsAfter }) => position > startsAfter)
      .map(({ id }) => ({ webhookId: id, ordinal: index + 1 })),
  );
}

/** Throws if there is a gap among the entries after `after`: the missing one would never be delivered. */
export function checkGapless(entries: readonly Entry[], after: bigint): void {
  let expected = after;
  for (const { position } of entries) {
    expected += 1n;
    if (position !== expected) {
      throw new Error(`entry ${expected} is missing: ${position} came instead`);
    }
  }
}
