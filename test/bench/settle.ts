// Puts away what earlier measurements left to PostgreSQL: its vacuum, its statistics and its checkpoint would
// else take their time from the next one. Called before each measurement of appends, ours and bare alike.

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

/** What autovacuum would do by and by: statistics for the planner, the visibility map. */
export async function vacuum(sql: Sql): Promise<void> {
  await sql.run("VACUUM (ANALYZE) ledger.chain");
  await sql.run("VACUUM (ANALYZE) ledger.payloads");
}
