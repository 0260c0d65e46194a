// Deletes idempotency keys after their 24 hours, in batches, for as long as the process runs. Any number of
// replicas may do it at the same time.

import { type Counter, inPieces, type Loop, type LoopOptions, startLoop } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { deleteExpiredIdempotencyKeys } from "../store/delete-expired-idempotency-keys.ts";

const INTERVAL_MS = 60_000;
const BATCH = 5_000;

type Deps = Pick<LoopOptions, "failures" | "log"> & {
  readonly database: Database;
  readonly swept: Pick<Counter<"kind">, "inc">;
};

export function startIdempotencySweep({ database, failures, log, swept }: Deps): Loop {
  const deleteBatch = async (): Promise<number> => {
    const [row] = await database.run(deleteExpiredIdempotencyKeys, [BATCH]);
    const deleted = Number(row?.deleted ?? 0);
    swept.inc({ kind: "idempotency_keys" }, deleted);
    return deleted;
  };
  return startLoop({
    name: "idempotency_sweep",
    failures,
    log,
    delayMs: INTERVAL_MS,
    run: (signal) => inPieces(BATCH, deleteBatch, signal),
  });
}
