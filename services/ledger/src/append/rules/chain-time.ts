// The time of the next events of a chain (docs/hash-chain.md#times): it never decreases, whichever replica
// appends, except behind a record that says so. Called by plan-flush.ts, and by get-usage.ts for the month
// of the next event. It is pure: the times of the replica are parameters, and are to be right.

import type { Clock } from "@annals/contract";
import { CLOCK_TOLERANCE_S, formatMicros } from "@annals/contract";

/** What a replica knows of the time, as text. */
export interface Moment {
  readonly now: string;
  /** No right clock shows a later time: that of a head which is later was wrong. */
  readonly latest: () => string;
}

const US_PER_S = 1_000_000;

export function momentOf(clock: Clock): Moment {
  const latest = () => clock.latestMicros?.() ?? clock.nowMicros() + CLOCK_TOLERANCE_S * US_PER_S;
  return { now: clock.nowText(), latest: () => formatMicros(latest()) };
}

/** The `created_at` of events behind a head, and whether it steps back. */
export function timeAfter(
  headTime: string,
  { latest, now }: Moment,
): { readonly createdAt: string; readonly isStep: boolean } {
  if (headTime <= now) return { createdAt: now, isStep: false };
  return headTime <= latest()
    ? { createdAt: headTime, isStep: false }
    : { createdAt: now, isStep: true };
}
