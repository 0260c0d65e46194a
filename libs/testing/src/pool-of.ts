// A pool of a client of PostgreSQL, as an application has one. Called by tests of the outbox. Its end()
// resolves before its connections have ended, so that dropping the database may still end one of them.

import pg from "pg";

export function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  // Without a listener, such an end of a connection is an uncaught error.
  pool.on("error", () => {});
  return pool;
}
