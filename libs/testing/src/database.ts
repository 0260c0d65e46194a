// A database of a test's own on the PostgreSQL server of the test run, and statements with the rights of the
// owner. Called by tests and by the global setup, which makes the template. It must never drop a database
// that it did not make.

import { randomBytes } from "node:crypto";
import pg from "pg";

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement as the owner. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** The database with every service's schema, which the global setup makes once in a run. */
export const TEMPLATE = "annals_test_template";

/**
 * An environment variable: the owner's URLs on the workers of the Citus cluster that a run uses. A database
 * is made on each of its servers. Empty in any other run.
 */
export const NODES_VARIABLE = "ANNALS_TEST_CITUS_WORKERS";

const DROP_ATTEMPTS = 10;

/** Makes an empty database beside the one of `ownerUrl`. */
export async function createDatabase(ownerUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  return create(ownerUrl, name, "template0");
}

/** The same with the schemas of all services, as a copy of the template. */
export async function createMigratedDatabase(ownerUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  return create(ownerUrl, name, TEMPLATE);
}

/** Makes the template beside the database of `ownerUrl`; `migrate` applies the migrations to it. */
export async function createTemplate(
  ownerUrl: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  const { url } = await create(ownerUrl, TEMPLATE, "template0");
  await migrate(url);
}

async function create(ownerUrl: string, name: string, template: string): Promise<TestDatabase> {
  for (const server of serversOf(ownerUrl))
    await once(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(ownerUrl);
  url.pathname = `/${name}`;
  const owner = ownerOf(url.href);
  return {
    url: url.href,
    query: owner.query,
    drop: async () => {
      await owner.close();
      // A daemon of Citus may connect again meanwhile.
      for (const server of serversOf(ownerUrl))
        await retried(() => once(server, `DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

/**
 * False in a run over a Citus cluster, which refuses some statements of tests: those that disturb tables, or
 * observe locks and blocks of one server. Such a test runs only where it is true.
 */
export const ON_ONE_SERVER = (process.env[NODES_VARIABLE] ?? "") === "";

function serversOf(ownerUrl: string): string[] {
  const workers = process.env[NODES_VARIABLE] ?? "";
  return [ownerUrl, ...workers.split(" ").filter((url) => url !== "")];
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

async function retried(work: () => Promise<void>): Promise<void> {
  for (let attempts = DROP_ATTEMPTS; ; attempts -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      const isInUse = error instanceof pg.DatabaseError && error.code === "55006";
      if (!isInUse || attempts === 1) throw error;
    }
  }
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
