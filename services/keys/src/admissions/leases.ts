// Leases of gateways (docs/adr/0083-leased-admissions.md): how long an answer of AdmitRequests admits further
// requests, and the wait of whatever narrows a key. Called by all that revokes or narrows one, outside of the
// transaction. An answer that says so must never arrive while a lease from before the commit lasts.

import { setTimeout as pause } from "node:timers/promises";

/** Counted by the gateway from before it asked. */
export const LEASE_MS = 250;

/** The rest is for timers that are early, and for clocks that do not run at the same speed. */
const WAIT_MS = 300;

/**
 * Resolves as `change` does, once the leases from before it have ended. So does a failure: a key that was not
 * found may have been revoked a moment ago, and a commit whose answer was lost may be one.
 */
export async function afterLeases<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } finally {
    await pause(WAIT_MS);
  }
}
