// Puts away what earlier measurements left to PostgreSQL: its vacuum, its statistics and its checkpoint would
// else take their time from the next one. Called before each measurement of appends, ours and bare alike.

import { openSql } from "./sql.ts";

export async function settle(databaseUrl: string): Promise<void> {
  const sql = await openSql(databaseUrl);
  try {
    await sql.run("VACUUM (ANALYZE) ledger.chain");
    await sql.run("VACUUM (ANALYZE) ledger.payloads");
    await sql.run("CHECKPOINT");
  } finally {
    await sql.close();
  }
}
