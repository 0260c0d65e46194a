// Describes the machine and the settings that the figures belong to. Called by main.ts only.

import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import type { Sql } from "./sql.ts";

const GIB = 1024 ** 3;

/** One line each, as name and value. `loadBefore` is of the moment before the first measurement. */
export async function describeMachine(
  sql: Sql,
  loadBefore: number,
): Promise<readonly (readonly [string, string])[]> {
  const [row] = await sql.rows<Record<string, string>>(
    `SELECT current_setting('server_version') AS version,
       current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('shared_buffers') AS shared_buffers,
       current_setting('max_wal_size') AS max_wal_size`,
  );
  const {
    version,
    fsync,
    synchronous_commit: commit,
    shared_buffers: buffers,
    max_wal_size: log,
  } = row ?? {};
  return [
    ["CPU", `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores`],
    ["Memory", `${(totalmem() / GIB).toFixed(0)} GiB`],
    ["Load average before the run", loadBefore.toFixed(2)],
    ["Node.js", process.version],
    [
      "PostgreSQL",
      `${version}, fsync ${fsync}, synchronous_commit ${commit}, shared_buffers ${buffers}, max_wal_size ${log}`,
    ],
  ];
}

/** Load average of the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}
