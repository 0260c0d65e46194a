// Deletes idempotency keys after their 24 hours, in batches, for as long as the process runs. Any number of
// replicas may do it at the same time.

import { type Counter, inPieces, type Loop, type LoopOptions, startLoop } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { deleteExpiredIdempotencyKeys } from "../store/delete-expired-idempotency-keys.ts";
import { listExpiredIdempotencyKeys } from "../store/list-expired-idempotency-keys.ts";

const INTERVAL_MS = 60_000;
export const BATCH = 5_000;

interface SweepDeps {
  readonly database: Database;
  readonly swept: Pick<Counter<"kind">, "inc">;
}

export function startIdempotencySweep({
  failures,
  log,
  ...deps
}: SweepDeps & Pick<LoopOptions, "failures" | "log">): Loop {
  return startLoop({
    name: "idempotency_sweep",
    failures,
    log,
    delayMs: INTERVAL_MS,
    run: (signal) => sweepIdempotencyKeys(deps, signal),
  });
}

/** Deletes all keys that are due now. */
export async function sweepIdempotencyKeys(
  { database, swept }: SweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  const sweepBatch = async (): Promise<number> => {
    const accounts = await database.run(listExpiredIdempotencyKeys, [BATCH]);
    if (accounts.length === 0) return 0;
    const ids = accounts.map(({ account_id: accountId }) => accountId);
    const deleted = await database.run(deleteExpiredIdempotencyKeys, [ids, BATCH]);
    swept.inc({ kind: "idempotency_keys" }, deleted.length);
    return deleted.length;
  };
  await inPieces(BATCH, sweepBatch, signal);
}
