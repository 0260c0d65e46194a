// Refuses what a ledger with a wrong clock would append: its times would be in the chain permanently. Called
// by flush.ts and append-record.ts.

import type { Clock } from "@annals/contract";
import { type AnnalsError, unavailable } from "@annals/errors";

/** Undefined if the clock may be used. Another replica, or this one a moment later, may append. */
export function wrongClock(clock: Pick<Clock, "fault">): AnnalsError | undefined {
  const fault = clock.fault?.();
  if (fault === undefined) return undefined;
  return unavailable("The clock of the ledger is wrong. Try again later.", new Error(fault));
}
