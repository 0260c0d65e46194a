// A database of a test's own on the PostgreSQL server of the test run, and statements with the rights of the
// owner. Called by tests and by the global setup, which makes the template. It must never drop a database
// that it did not make.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { EMPTIABLE, emptyDatabase, keepEmptied, takeEmptied } from "./emptied-databases.ts";
import { once, urlOf } from "./one-statement.ts";
import { type Owner, ownerOf } from "./owner.ts";

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement as the owner. */
  readonly query: Owner["query"];
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
  return open(ownerUrl, await copy(ownerUrl, "template0"));
}

/**
 * The same with the schemas of all services. A copy of the template costs up to half a second of CPU, so one
 * that a test of this process has given back is emptied and used again.
 */
export async function createMigratedDatabase(ownerUrl: string): Promise<TestDatabase> {
  if (!ON_ONE_SERVER) return open(ownerUrl, await copy(ownerUrl, TEMPLATE));
  const database = takeEmptied(ownerUrl) ?? (await copied(ownerUrl));
  const { name, owner } = database;
  return {
    url: urlOf(ownerUrl, name),
    query: owner.query,
    drop: async () => {
      if (await emptyDatabase(owner)) return keepEmptied(ownerUrl, database);
      await owner.close();
      await drop(ownerUrl, name);
    },
  };
}

async function copied(ownerUrl: string) {
  const name = await copy(ownerUrl, TEMPLATE);
  return { name, owner: ownerOf(urlOf(ownerUrl, name)) };
}

/** Makes the template beside the database of `ownerUrl`; `migrate` applies the migrations to it. */
export async function createTemplate(
  ownerUrl: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  await copy(ownerUrl, "template0", TEMPLATE);
  const url = urlOf(ownerUrl, TEMPLATE);
  await migrate(url);
  if (ON_ONE_SERVER) await once(url, EMPTIABLE);
}

function newName(): string {
  return `test_${randomBytes(8).toString("hex")}`;
}

async function copy(ownerUrl: string, template: string, name = newName()): Promise<string> {
  for (const server of serversOf(ownerUrl))
    await once(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return name;
}

function open(ownerUrl: string, name: string): TestDatabase {
  const url = urlOf(ownerUrl, name);
  const owner = ownerOf(url);
  return {
    url,
    query: owner.query,
    drop: async () => {
      await owner.close();
      await drop(ownerUrl, name);
    },
  };
}

async function drop(ownerUrl: string, name: string): Promise<void> {
  // A daemon of Citus may connect again meanwhile.
  for (const server of serversOf(ownerUrl))
    await retried(() => once(server, `DROP DATABASE ${name} WITH (FORCE)`));
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
