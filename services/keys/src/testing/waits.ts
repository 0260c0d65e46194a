// Whether work waits for rows that another transaction has locked, decided without time. Imported by tests
// only.

import type { Database, Pool } from "@annals/postgres";
import { eventually, type TestDatabase } from "@annals/testing";

const WAITING = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

interface Around {
  readonly owner: Pick<TestDatabase, "query">;
  readonly database: Pool;
  readonly lock: (transaction: Database) => Promise<unknown>;
}

/** Begins `work` while the rows are locked, and unlocks them once it waits or has ended. */
export async function waitsFor(
  { database, lock, owner }: Around,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = database.transaction(async (transaction) => {
    await lock(transaction);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  let hasEnded = false;
  const working = work().finally(() => (hasEnded = true));
  await eventually("it waits or has ended", async () => {
    return hasEnded || (await owner.query(WAITING)).length > 0;
  });
  const isWaiting = !hasEnded;
  released.resolve();
  await Promise.all([holding, working]);
  return isWaiting;
}
