// Guarantees of distributing: a plan changes nothing; applied, each table of accounts is on the workers
// beside the others, and its rows are too; a second run changes nothing. What the cluster does not allow is
// refused with one sentence, and the tables stay as they were. Migrations run before and after.

import { distribute, type DistributeOptions, migrate } from "@annals/postgres";
import { createDatabase, NODES_VARIABLE, type TestDatabase } from "@annals/testing";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { joinNodes, runOn } from "./cluster.ts";

const SCHEMA = "ledger";
const DIRECTORY = join(import.meta.dirname, "../../services/ledger/migrations");
const TABLES = 20;
/** Tables without an account, on the coordinator. */
const REACHED = ["anchors", "epochs", "log_tiles", "logs", "proposed_heads"].map(
  (name) => `ledger.${name}`,
);

const nodes = [inject("stack").databaseUrl, ...(process.env[NODES_VARIABLE] ?? "").split(" ")].map(
  (url) => ({ url, port: Number(new URL(url).port) }),
);

/** A database on each server, with the schema of the ledger; by default the servers know each other. */
async function newDatabase({ isJoined = true } = {}): Promise<TestDatabase> {
  const database = await createDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  if (isJoined) await joinNodes(nodes, new URL(database.url).pathname.slice(1));
  await migrateOf(database);
  return database;
}

const migrateOf = ({ url }: TestDatabase) =>
  migrate({ connectionString: url, schema: SCHEMA, directory: DIRECTORY });

const run = ({ url }: TestDatabase, options: Partial<DistributeOptions> = {}) =>
  distribute({
    connectionString: url,
    schema: SCHEMA,
    servesAnywhere: true,
    shards: 4,
    copies: false,
    applies: true,
    ...options,
  });

const distributed = (database: TestDatabase) =>
  database.query<{ colocationid: number }>(
    "SELECT colocationid FROM pg_dist_partition WHERE partmethod = 'h'",
  );

/** Heads of accounts on both workers. */
const addHeads = (database: TestDatabase) =>
  database.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     SELECT 'acct_' || n, 0, sha256('') FROM generate_series(1, 50) AS n`,
  );

test("a plan changes nothing; applied, all tables are beside each other; again, nothing changes", async () => {
  const database = await newDatabase();
  const plan = await run(database, { applies: false });
  expect(plan).toMatchObject({ schema: SCHEMA, workers: 2, shards: 4, already: [] });
  expect(plan.tables).toHaveLength(TABLES);
  expect(plan.functions).toHaveLength(16);
  expect(plan.copied).toStrictEqual(["ledger.migrations"]);
  expect(plan.reached).toStrictEqual(REACHED);
  expect(await distributed(database)).toStrictEqual([]);
  expect(await run(database)).toStrictEqual({ ...plan, applied: true });
  const places = (await distributed(database)).map(({ colocationid }) => colocationid);
  expect(places).toHaveLength(TABLES);
  expect(new Set(places).size).toBe(1);
  const already = plan.tables.map(({ name }) => name);
  const again = { already, tables: [], copied: [], reached: [], functions: [], roles: [] };
  expect(await run(database, { shards: undefined })).toMatchObject(again);
  expect(await migrateOf(database)).toMatchObject({ applied: [] });
  await expect(run(database, { shards: 8 })).rejects.toThrow(/has 4 shards, so --shards 8 is not/);
});

test("a later migration runs, each server lists it, and its table is the only one that the next run takes", async () => {
  const database = await newDatabase();
  await run(database);
  const directory = await mkdtemp(join(tmpdir(), "annals-migrations-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await cp(DIRECTORY, directory, { recursive: true });
  await writeFile(
    join(directory, "0099_later.sql"),
    `ALTER TABLE ledger.heads ADD COLUMN later integer;
     CREATE TABLE ledger.later (account_id text COLLATE "C" PRIMARY KEY, n integer);`,
  );
  const later = { connectionString: database.url, schema: SCHEMA, directory };
  expect(await migrate(later)).toMatchObject({ applied: ["0099_later.sql"] });
  for (const node of nodes) {
    const [row] = await runOn(
      node,
      new URL(database.url).pathname.slice(1),
      "SELECT max(name) AS last FROM ledger.migrations",
    );
    expect(row).toStrictEqual({ last: "0099_later.sql" });
  }
  const { already, tables } = await run(database, { shards: undefined });
  expect(already).toHaveLength(TABLES);
  expect(tables).toStrictEqual([{ name: "ledger.later", has_rows: false }]);
});

test("a table with rows is refused without --copy; with it the rows move to the workers", async () => {
  const database = await newDatabase();
  await addHeads(database);
  await expect(run(database)).rejects.toThrow(/^ledger\.heads has rows: --copy distributes them/);
  expect(await distributed(database)).toStrictEqual([]);
  await run(database, { copies: true });
  expect(await database.query("SELECT FROM ledger.heads")).toHaveLength(50);
  // The coordinator keeps none of them.
  const [size] = await database.query("SELECT pg_relation_size('ledger.heads') AS bytes");
  expect(size).toStrictEqual({ bytes: "0" });
});

test("each server reaches the rows of a table without an account, with the rights of the service", async () => {
  const database = await newDatabase();
  await database.query(
    `INSERT INTO ledger.logs (log, origin, size, root, frontier, keys)
     VALUES (1, 'log.example', 0, sha256(''), '', sha256(''))`,
  );
  // Its rows stay where they are.
  await run(database);
  const name = new URL(database.url).pathname.slice(1);
  const asService = "SET ROLE annals_ledger;";
  for (const [at, node] of nodes.entries())
    await runOn(node, name, `${asService} UPDATE ledger.logs SET size = size + ${10 ** at}`);
  expect(await database.query("SELECT size FROM ledger.logs")).toStrictEqual([{ size: "111" }]);
  const removal = runOn(nodes[1]!, name, `${asService} DELETE FROM ledger.logs`);
  await expect(removal).rejects.toThrow("permission denied for table logs");
});

test.each([
  [
    "a trigger",
    `CREATE FUNCTION ledger.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
     CREATE TRIGGER nothing BEFORE INSERT ON ledger.outbox
     FOR EACH ROW EXECUTE FUNCTION ledger.nothing()`,
    /^ledger\.outbox has the trigger nothing, which Citus does not allow$/,
  ],
  ["no table", "DROP SCHEMA ledger CASCADE", /has no table of accounts: run annals migrate first$/],
  [
    "no worker",
    `SELECT citus_remove_node('127.0.0.1', nodeport) FROM pg_dist_node WHERE groupid > 0`,
    /^the Citus cluster has no worker: add one with citus_add_node$/,
  ],
])("%s is refused with one sentence", async (_, change, reason) => {
  const database = await newDatabase();
  await database.query(change);
  await expect(run(database)).rejects.toThrow(reason);
});

test("a database without Citus is refused with one sentence", async () => {
  const database = await newDatabase({ isJoined: false });
  await expect(run(database, { applies: false })).rejects.toThrow(
    /^the database has no Citus: run CREATE EXTENSION citus on each of its servers$/,
  );
});
