// A ledger's database of a test's own, and pools on it with the rights of the service. Imported by tests
// only.

import { createLog } from "@annals/chassis";
import { createPool, type Pool, type PoolOptions } from "@annals/postgres";
import { createMigratedDatabase, PATIENT, type TestDatabase } from "@annals/testing";
import { inject, onTestFinished } from "vitest";
import { ROLE } from "../config.ts";

/** Connections of a pool that says nothing else. */
export const POOL_SIZE = 5;

/** Runs its work at the end of a test, or of a file where it is vitest's `afterAll`. */
export type AtEnd = (work: () => Promise<void>) => unknown;

/** An empty ledger. */
export async function newLedgerDatabase(atEnd: AtEnd = onTestFinished): Promise<TestDatabase> {
  const database = await createMigratedDatabase(inject("stack").databaseUrl);
  atEnd(() => database.drop());
  return database;
}

/** The pool with `around` about it, and about what it is for each account. */
export function aroundPool(pool: Pool, around: (pool: Pool) => Pool): Pool {
  return {
    ...around(pool),
    forAccount: (accountId, signal) => aroundPool(pool.forAccount(accountId, signal), around),
  };
}

export function openPool(
  connectionString: string,
  { atEnd = onTestFinished, ...options }: Partial<PoolOptions> & { readonly atEnd?: AtEnd } = {},
): Pool {
  const pool = createPool({
    connectionString,
    role: ROLE,
    applicationName: "annals-ledger-test",
    maxConnections: POOL_SIZE,
    ...PATIENT,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
    ...options,
  });
  atEnd(() => pool.close());
  return pool;
}
