// Forgets idempotency keys after their 24 hours, a few at a time, for as long as the process runs.
// Any number of replicas may do it at the same time.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { deleteExpiredIdempotencyKeys } from "../store/delete-expired-idempotency-keys.ts";

const INTERVAL_MS = 60_000;
const BATCH = 5_000;

/** Begins to sweep; the returned function ends it and resolves when nothing is under way. */
export function startIdempotencySweep(deps: {
  readonly database: Database;
  readonly log: Logger;
}): () => Promise<void> {
  let sweeping = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => sweep(deps));
  }, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return sweeping;
  };
}

async function sweep({
  database,
  log,
}: {
  readonly database: Database;
  readonly log: Logger;
}): Promise<void> {
  try {
    let deleted = BATCH;
    while (deleted === BATCH) {
      const [row] = await database.run(deleteExpiredIdempotencyKeys, [BATCH]);
      deleted = Number(row?.deleted ?? 0);
    }
  } catch (error) {
    log.warn({ err: error }, "idempotency sweep failed");
  }
}
