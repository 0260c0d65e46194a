// Fixtures of the tests of this folder: databases, pools and proxies that close with their test. Imported by
// tests only.

import { createLog } from "@annals/chassis";
import { inject, onTestFinished } from "vitest";
import { createPool, type Pool, type PoolOptions } from "../pool.ts";
import { createDatabase, openProxy, type Proxy, type TestDatabase } from "@annals/testing";

/** A database of the test's own. */
export async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  return database;
}

export function openPool(connectionString: string, options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({
    connectionString,
    applicationName: "annals-pool-test",
    maxConnections: 2,
    statementTimeoutMs: 5_000,
    log: createLog({ service: "test", level: "error" }),
    ...options,
  });
  onTestFinished(() => pool.close());
  return pool;
}

/** The same database through a proxy; closed when the test is finished. */
export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const proxy = await openProxy(databaseUrl);
  onTestFinished(() => proxy.close());
  return proxy;
}
