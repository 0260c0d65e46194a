// Statements with the owner's rights on an existing database. Called by tests and by the other files about
// databases.

import pg from "pg";

export interface Owner {
  readonly query: <Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<Row[]>;
  /** Makes the session as new, on one connection at most. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function ownerOf(url: string): Owner {
  const pool = new pg.Pool({ connectionString: url, max: 4, allowExitOnIdle: true });
  pool.on("error", () => {});
  return {
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
    reset: async () => {
      while (pool.totalCount > 1) (await pool.connect()).release(true);
      await pool.query("DISCARD ALL");
    },
    close: () => pool.end(),
  };
}
