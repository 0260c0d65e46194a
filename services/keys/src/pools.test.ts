// Guarantee: the pools of the service have together as many connections as the setting says, half of them for
// admission, and each has at least one. The metrics show both as one.

import { createRegistry, createLog, databaseMetrics } from "@annals/chassis";
import { statement } from "@annals/postgres";
import { expect, onTestFinished, test } from "vitest";
import { openPools } from "./pools.ts";
import { migratedDatabase } from "./testing/database.ts";

const hold = statement<[], never>("/* keys.hold */ SELECT pg_sleep(0.05)", { route: "local" });

test.each([
  [1, 1, 1],
  [2, 1, 1],
  [3, 1, 2],
  [10, 5, 5],
])("%i: %i for admission, %i for the rest", async (databasePoolSize, admission, rest) => {
  const { owner } = await migratedDatabase();
  const registry = createRegistry("keys");
  const config = {
    databasePoolSize,
    databaseRolePrefix: "annals",
    databaseStatementTimeoutMs: 10_000,
    databaseUrl: owner.url,
  };
  const log = createLog({ service: "test", level: "error" });
  const pools = openPools(config, databaseMetrics(registry), log);
  onTestFinished(async () => {
    await Promise.all([pools.admission.close(), pools.database.close()]);
  });
  const more = Array.from({ length: 12 });
  for (const pool of [pools.admission, pools.database])
    await Promise.all(more.map(() => pool.run(hold, [])));
  const connections = `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'annals-keys%'
      AND application_name <> 'annals-keys-test' GROUP BY 1 ORDER BY 1`;
  expect(await owner.query(connections)).toEqual([
    { name: "annals-keys", count: rest },
    { name: "annals-keys-admission", count: admission },
  ]);
  const text = await registry.metrics();
  expect(text).toMatch(new RegExp(`db_client_connection_max\\{[^}]*\\} ${admission + rest}\n`));
  expect(text).toMatch(
    new RegExp(`db_client_connection_count\\{[^}]*"idle"[^}]*\\} ${admission + rest}\n`),
  );
});
