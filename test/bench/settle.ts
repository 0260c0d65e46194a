// Runs the vacuum, the statistics and the checkpoint that earlier measurements left to PostgreSQL, so that
// they do not fall into the next one. Called before each measurement of appends, of Annals and of the
// baseline.

import { openSql, type Sql } from "./sql.ts";

export async function settle(databaseUrl: string): Promise<void> {
  const sql = await openSql(databaseUrl);
  try {
    await vacuum(sql);
    await sql.run("CHECKPOINT");
  } finally {
    await sql.close();
  }
}

/** The work of autovacuum: statistics for the planner, the visibility map. */
export async function vacuum(sql: Sql): Promise<void> {
  await sql.run("VACUUM (ANALYZE) ledger.events");
}
