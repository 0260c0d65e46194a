// The lease of a running job: it is renewed while the work goes on; when it is lost, the work ends. Called by
// export-worker.ts. Two replicas may believe for a moment that they hold one job: the token in each statement
// decides which one holds it.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import { renewLease } from "../store/renew-lease.ts";
import type { TakenRow } from "../store/take-job.ts";

export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** Renewals within one lease: two may fail. */
const RENEWALS_PER_LEASE = 3;

export interface LeaseDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly leaseMs: number;
}

/** Runs `work` with a signal that is aborted when `stop` is, or with {@link LeaseLost} when the lease is. */
export async function withLease<T>(
  deps: LeaseDeps,
  job: TakenRow,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const ended = new AbortController();
  const keeping = keep(deps, job, lost, ended.signal);
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
  { database, log, leaseMs }: LeaseDeps,
  job: TakenRow,
  lost: AbortController,
  ended: AbortSignal,
): Promise<void> {
  const params = [job.account_id, job.id, job.lease_token, leaseMs] as const;
  let held = performance.now() + leaseMs;
  while (!ended.aborted && !lost.signal.aborted) {
    await pause(leaseMs / RENEWALS_PER_LEASE, undefined, { signal: ended }).catch(() => {});
    if (ended.aborted) return;
    const asked = performance.now();
    try {
      const [row] = await database.run(renewLease, [...params]);
      if (row) held = asked + leaseMs;
      else if (!ended.aborted)
        lost.abort(new LeaseLost("another replica holds the export, or it was deleted"));
    } catch (error) {
      log.warn({ err: error, export_id: job.id }, "lease not renewed");
    }
    if (performance.now() >= held)
      lost.abort(new LeaseLost("the lease could not be renewed in time"));
  }
}
