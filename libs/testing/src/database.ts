// A database of a test's own on the server that the test run started, and statements with the owner's rights.

import { randomBytes } from "node:crypto";
import pg from "pg";

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement as the owner. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Makes an empty database beside the one of `ownerUrl`. */
export async function createDatabase(ownerUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await once(ownerUrl, `CREATE DATABASE ${name}`);
  const url = new URL(ownerUrl);
  url.pathname = `/${name}`;
  const owner = ownerOf(url.href);
  return {
    url: url.href,
    query: owner.query,
    drop: async () => {
      await owner.close();
      await once(ownerUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Statements with the owner's rights on an existing database. */
export function ownerOf(url: string): {
  query: TestDatabase["query"];
  close: () => Promise<void>;
} {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => {});
  return {
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
    close: () => pool.end(),
  };
}

async function once(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
