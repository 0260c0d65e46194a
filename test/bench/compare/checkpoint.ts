// A checkpoint before a turn, so that none of PostgreSQL's own falls into it. Called by
// measure.ts. It names no table: the checkouts that are compared may have others.

import { openSql } from "../sql.ts";

export async function checkpoint(databaseUrl: string): Promise<void> {
  const sql = await openSql(databaseUrl);
  try {
    await sql.run("VACUUM (ANALYZE)");
    await sql.run("CHECKPOINT");
  } finally {
    await sql.close();
  }
}
