// Who is told of what: each entry for each subscriber that began before it. Called by the fan-out
// worker within the transaction that moves the cursor.

import type { Entry } from "./payload.ts";

export interface Subscriber {
  readonly id: string;
  /** It is told of what lies after this position. */
  readonly startsAfter: bigint;
}

export interface PlannedDelivery {
  readonly webhookId: string;
  /** The place of its entry, from 1. */
  readonly place: number;
}

/** In the order of the entries, so that each webhook's queue begins with the oldest. */
export function planFanOut(
  entries: readonly Entry[],
  subscribers: readonly Subscriber[],
): PlannedDelivery[] {
  return entries.flatMap(({ position }, index) =>
    subscribers
      .filter(({ startsAfter }) => position > startsAfter)
      .map(({ id }) => ({ webhookId: id, place: index + 1 })),
  );
}

/**
 * Throws when entries do not follow each other from `after` on without a gap: then one would never
 * be told of.
 */
export function checkGapless(entries: readonly Entry[], after: bigint): void {
  let expected = after;
  for (const { position } of entries) {
    expected += 1n;
    if (position !== expected) {
      throw new Error(`entry ${expected} is missing: ${position} came in its place`);
    }
  }
}
