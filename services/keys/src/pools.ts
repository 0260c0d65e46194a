// The connections of the keys service to PostgreSQL. Called by serve.ts. Half of them are for admission
// alone: whatever else the service does, in any amount, no request waits for it to be admitted.

import type { ConfigOf, DatabaseMetrics, Logger } from "@annals/chassis";
import { createPool, type Pool, roleWith } from "@annals/postgres";
import { ROLE } from "./commands/open.ts";
import type { SETTINGS } from "./config.ts";

export interface Pools {
  /** For AdmitRequests and nothing else. */
  readonly admission: Pool;
  /** For all else: keys, tokens, usage, the admin API, workers. */
  readonly database: Pool;
}

type Config = Pick<
  ConfigOf<typeof SETTINGS>,
  "databasePoolSize" | "databaseRolePrefix" | "databaseStatementTimeoutMs" | "databaseUrl"
>;

/** Together they have as many connections as the setting says, and each has at least one. */
export function openPools(config: Config, metrics: DatabaseMetrics, log: Logger): Pools {
  const open = (applicationName: string, maxConnections: number): Pool =>
    createPool({
      connectionString: config.databaseUrl,
      role: roleWith(config.databaseRolePrefix, ROLE),
      applicationName,
      maxConnections: Math.max(1, maxConnections),
      statementTimeoutMs: config.databaseStatementTimeoutMs,
      metrics,
      log,
    });
  const { databasePoolSize: size } = config;
  return {
    admission: open("annals-keys-admission", Math.floor(size / 2)),
    database: open("annals-keys", Math.ceil(size / 2)),
  };
}
