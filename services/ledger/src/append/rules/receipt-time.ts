// Compares the time at which a gateway has received an append with the clock of the database
// (docs/hash-chain.md#times). Called by append-outcome.ts, with the given time checked for its form. A
// gateway compares its own clock, too; what is hashed must never depend on that alone.

import { CLOCK_TOLERANCE_S } from "@annals/contract";
import { type AnnalsError, unavailable } from "@annals/errors";

/** Seconds after which no append that a client waits for comes: several deadlines, and the tolerance. */
const MAX_AGE_S = 60;
const MS_PER_S = 1_000;
const US_PER_S = 1_000_000;

/** Refuses a time that is not about now, for the gateway to try again when its clock is right. */
export type ReceiptCheck = (receivedAt: string) => AnnalsError | undefined;

export function receiptCheck(databaseMicros: () => number): ReceiptCheck {
  return (receivedAt) => {
    const aheadS = Date.parse(receivedAt) / MS_PER_S - databaseMicros() / US_PER_S;
    if (aheadS <= CLOCK_TOLERANCE_S && aheadS >= -MAX_AGE_S) return undefined;
    const side = aheadS > 0 ? "ahead of" : "behind";
    const reason = `received_at is ${Math.abs(aheadS).toFixed(1)} s ${side} the database's clock`;
    return unavailable("The clock of a gateway is wrong. Try again later.", new Error(reason));
  };
}
