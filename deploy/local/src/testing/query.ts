// A statement on the PostgreSQL of a stack, over a connection of its own. Imported by tests only.

import { Client } from "pg";

export async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  // The server may be killed under it.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
