// Deletes idempotency keys after their hours, in batches, for as long as the process runs. Any number of
// replicas may do it at the same time.

import {
  type AccountRun,
  AccountWork,
  type Counter,
  inPieces,
  type Loop,
  type LoopOptions,
  startLoop,
} from "@annals/chassis";
import { assertRight, type Clock } from "@annals/contract";
import { type Database, isDistributed } from "@annals/postgres";
import { deleteExpiredIdempotencyKeys } from "../store/delete-expired-idempotency-keys.ts";
import { listExpiredIdempotencyKeys } from "../store/list-expired-idempotency-keys.ts";

const INTERVAL_MS = 60_000;
export const BATCH = 5_000;

interface SweepDeps {
  readonly clock: Pick<Clock, "fault">;
  readonly database: Database;
  readonly idempotencyHours: number;
  readonly swept: Pick<Counter<"kind">, "inc">;
}

export function startIdempotencySweep({
  failures,
  log,
  ...deps
}: SweepDeps & Pick<LoopOptions, "failures" | "log">): Loop {
  const name = "idempotency_sweep";
  const work = new AccountWork(log, name);
  return startLoop({
    name,
    failures,
    log,
    delayMs: INTERVAL_MS,
    run: (signal) => sweepIdempotencyKeys(deps, work.begin(signal)),
  });
}

/**
 * Deletes all keys that are due now: with one statement for a batch, or if tables are distributed with one
 * for each account.
 */
export async function sweepIdempotencyKeys(
  { clock, database, idempotencyHours, swept }: SweepDeps,
  run: AccountRun,
): Promise<void> {
  assertRight(clock);
  const deleteFor = async (accountIds: readonly string[]): Promise<number> => {
    const params = [accountIds, BATCH, idempotencyHours] as const;
    const deleted = await database.run(deleteExpiredIdempotencyKeys, [...params]);
    swept.inc({ kind: "idempotency_keys" }, deleted.length);
    return deleted.length;
  };
  const isApart = await isDistributed(database);
  const sweepBatch = async (): Promise<number> => {
    const accounts = await run.list("", () =>
      database.run(listExpiredIdempotencyKeys, [BATCH, idempotencyHours]),
    );
    if (accounts.length === 0) return 0;
    if (!isApart) return deleteFor(accounts.map(({ account_id: accountId }) => accountId));
    let total = 0;
    await run.each(accounts, async ({ account_id: accountId }) => {
      total += await deleteFor([accountId]);
    });
    return total;
  };
  await inPieces(BATCH, sweepBatch, run.signal);
  run.end();
}
