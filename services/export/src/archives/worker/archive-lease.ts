// Works on an archive with its lease. Called by the workers of archives. After a failure the lease ends, so
// that another attempt may follow.

import type { Pool } from "@annals/postgres";
import { type ArchiveRow, releaseArchive, renewArchive } from "../store/archives.ts";
import { LeaseLost, type LeaseDeps, withLease } from "../../exports/lease.ts";
import { NotCovered } from "../../exports/write-bundle.ts";

interface Deps extends LeaseDeps {
  readonly database: Pool;
}

/** Time from a failed attempt to the next one. */
const RETRY_MS = 10_000;

/** `row` is what taking the lease has returned. Whether the lease ends after success is up to `work`. */
export async function withArchive<T>(
  deps: Deps,
  row: ArchiveRow,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { account_id: accountId, from_sequence: from, id, lease_token: token } = row;
  const database = deps.database.forAccount(accountId);
  const held = [accountId, from, token] as const;
  const renew = async () => (await database.run(renewArchive, [...held, deps.leaseMs])).length > 0;
  const lease = { name: "the archive", fields: { archive_id: id }, renew };
  try {
    return await withLease(deps, lease, stop, work);
  } catch (error) {
    const delayMs = stop.aborted || error instanceof NotCovered ? 0 : RETRY_MS;
    if (!(error instanceof LeaseLost))
      await database.run(releaseArchive, [...held, delayMs]).catch(() => {});
    throw error;
  }
}
