// The lease of a running job or of an archive: it is renewed while the work goes on; when it is lost, the
// work ends. Called by export-worker.ts and by the workers of archives. Two replicas may believe for a moment
// that they hold one lease: the token in each statement decides which one holds it.

import type { Logger } from "@annals/chassis";
import { setTimeout as pause } from "node:timers/promises";

export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** Renewals within one lease: two may fail. */
const RENEWALS_PER_LEASE = 3;

export interface LeaseDeps {
  readonly log: Logger;
  readonly leaseMs: number;
}

export interface Lease {
  /** What is held, for messages: such as `the export`. */
  readonly name: string;
  /** Its id, as a field of log lines. */
  readonly fields: Readonly<Record<string, string>>;
  /** Resolves to whether it is still held. */
  readonly renew: () => Promise<boolean>;
}

/** Runs `work` with a signal that is aborted when `stop` is, or with {@link LeaseLost} when the lease is. */
export async function withLease<T>(
  deps: LeaseDeps,
  lease: Lease,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const ended = new AbortController();
  const keeping = keep(deps, lease, lost, ended.signal);
  try {
    return await work(AbortSignal.any([stop, lost.signal]));
  } catch (error) {
    // The error of the work may only be a consequence of the lost lease.
    if (lost.signal.aborted) throw lost.signal.reason;
    throw error;
  } finally {
    ended.abort();
    await keeping;
  }
}

/** Not a loop of the chassis: it ends with the work or the lease, and must not back off beyond the lease. */
async function keep(
  { log, leaseMs }: LeaseDeps,
  { fields, name, renew }: Lease,
  lost: AbortController,
  ended: AbortSignal,
): Promise<void> {
  let held = performance.now() + leaseMs;
  while (!ended.aborted && !lost.signal.aborted) {
    await pause(leaseMs / RENEWALS_PER_LEASE, undefined, { signal: ended }).catch(() => {});
    if (ended.aborted) return;
    const asked = performance.now();
    try {
      if (await renew()) held = asked + leaseMs;
      else if (!ended.aborted)
        lost.abort(new LeaseLost(`another replica holds ${name}, or it was deleted`));
    } catch (error) {
      log.warn({ err: error, ...fields }, "lease not renewed");
    }
    if (performance.now() >= held)
      lost.abort(new LeaseLost("the lease could not be renewed in time"));
  }
}
