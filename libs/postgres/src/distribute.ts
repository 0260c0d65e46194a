// Distributes the tables of a service over the workers of a Citus cluster, by account, and gives each server
// a copy of its list of migrations. Called by the commands of the services. Everything happens in one
// transaction: a failure leaves the tables as they were. It must never distribute a table whose rows could
// be changed meanwhile.

import { CommandError } from "@annals/cli";
import pg from "pg";
import { reasonOf } from "./command-pool.ts";
import { checkUrl } from "./pool.ts";

export interface DistributeOptions {
  /** URL of the login that owns the tables. */
  readonly connectionString: string;
  readonly schema: string;
  /** Number of shards of each table. The first tables of a database decide it for all. */
  readonly shards?: number | undefined;
  /** Tables that have rows are distributed too. Their rows are copied, and writes wait meanwhile. */
  readonly copies: boolean;
  /** If false, it only finds out what it would do. */
  readonly applies: boolean;
}

/** What is distributed, and what was or would be. */
export interface Distribution {
  readonly schema: string;
  readonly workers: number;
  readonly shards: number;
  /** Names of the tables that are distributed already. */
  readonly already: readonly string[];
  readonly tables: readonly DistributedTable[];
  /** Tables of which each server gets a copy: a service that is connected to a worker reads them there. */
  readonly copied: readonly string[];
  /** Signatures of functions that are, or would be, run on the worker of their account. */
  readonly functions: readonly string[];
  /** Roles that get LOGIN: the coordinator connects to the workers as the role of a statement. */
  readonly roles: readonly string[];
  readonly applied: boolean;
}

export interface DistributedTable {
  readonly name: string;
  readonly has_rows: boolean;
}

const DEFAULT_SHARDS = 32;

/** Time for which the locks of the tables are waited for: everything that comes later waits with them. */
const LOCK_TIMEOUT_MS = 10_000;
/** A copy of many rows takes hours. Tables and functions need one connection per worker in a transaction. */
const TRANSACTION = `
  SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`;
const SEQUENTIALLY = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";

interface Table {
  readonly name: string;
  readonly is_distributed: boolean;
  readonly has_key: boolean;
  readonly triggers: readonly string[];
}

/** Returns what it did or would do. Throws one sentence if the database does not allow it. */
export async function distribute(options: DistributeOptions): Promise<Distribution> {
  checkUrl(options.connectionString);
  const client = new pg.Client({ connectionString: options.connectionString });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("BEGIN");
    await client.query(TRANSACTION);
    const distribution = await distributeIn(client, options);
    await client.query(options.applies ? "COMMIT" : "ROLLBACK");
    return distribution;
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error;
    throw new CommandError(`${options.schema}: ${reasonOf(error)}`);
  } finally {
    await client.end();
  }
}

async function distributeIn(
  client: pg.Client,
  { applies, copies, schema, shards: given }: DistributeOptions,
): Promise<Distribution> {
  const workers = await countWorkers(client);
  const tables = await listTables(client, schema);
  const kept = await findReference(client);
  const shards = kept?.shards ?? given ?? DEFAULT_SHARDS;
  if (given !== undefined && given !== shards)
    throw new CommandError(
      `${kept?.name} has ${shards} shards, so --shards ${given} is not possible`,
    );
  const missing = tables.filter((table) => !table.is_distributed);
  const [withTrigger] = missing.filter(({ triggers }) => triggers.length > 0);
  if (withTrigger)
    throw new CommandError(
      `${withTrigger.name} has the trigger ${withTrigger.triggers[0]}, which Citus does not allow`,
    );
  if (applies && missing.length > 0)
    await client.query(`LOCK TABLE ${missing.map(({ name }) => name).join(", ")}`);
  const found = await findRows(client, missing);
  const filled = found.find(({ has_rows: hasRows }) => hasRows);
  if (applies && filled && !copies)
    throw new CommandError(
      `${filled.name} has rows: --copy distributes them too, and appends fail until it has ended`,
    );
  const copied = await listUncopied(client, schema);
  const functions = await listFunctions(client, schema);
  const roles = await listRoles(client, schema);
  // Shards move under load by logical replication, which identifies rows by a key or by all columns.
  const keyless = missing.filter((table) => !table.has_key).map(({ name }) => name);
  const reference = kept?.name;
  if (applies) await apply(client, { copied, found, functions, keyless, reference, roles, shards });
  return {
    schema,
    workers,
    shards,
    already: tables.filter((table) => table.is_distributed).map(({ name }) => name),
    tables: found,
    copied,
    functions,
    roles,
    applied: applies,
  };
}

/** Throws if the database has no Citus, or if its cluster has no worker. */
async function countWorkers(client: pg.Client): Promise<number> {
  const { rows } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (rows.length === 0)
    throw new CommandError(
      "the database has no Citus: run CREATE EXTENSION citus on each of its servers",
    );
  const workers = await client.query("SELECT FROM citus_get_active_worker_nodes()");
  if (workers.rows.length === 0)
    throw new CommandError("the Citus cluster has no worker: add one with citus_add_node");
  return workers.rows.length;
}

async function listTables(client: pg.Client, schema: string): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT pg_class.oid::regclass::text AS name,
       EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = pg_class.oid) AS is_distributed,
       EXISTS (SELECT 1 FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary) AS has_key,
       ARRAY (
         SELECT tgname::text FROM pg_trigger WHERE tgrelid = pg_class.oid AND NOT tgisinternal
       ) AS triggers
     FROM pg_class
     JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'account_id' AND NOT attisdropped
     WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'
     ORDER BY 1`,
    [schema],
  );
  if (rows.length === 0)
    throw new CommandError(
      `the schema ${schema} has no table of accounts: run annals migrate first`,
    );
  return rows;
}

/** The table that others are placed beside: the rows of an account are on one worker. */
async function findReference(
  client: pg.Client,
): Promise<{ readonly name: string; readonly shards: number } | undefined> {
  const { rows } = await client.query<{ name: string; shards: number }>(
    `SELECT logicalrelid::text AS name, shard_count AS shards
     FROM pg_dist_partition CROSS JOIN LATERAL (
       SELECT count(*)::integer FROM pg_dist_shard
       WHERE pg_dist_shard.logicalrelid = pg_dist_partition.logicalrelid
     ) AS shards (shard_count)
     WHERE partmethod = 'h' AND column_to_column_name(logicalrelid, partkey) = 'account_id'
     ORDER BY 1
     LIMIT 1`,
  );
  return rows[0];
}

async function findRows(client: pg.Client, tables: readonly Table[]): Promise<DistributedTable[]> {
  const found: DistributedTable[] = [];
  for (const { name } of tables) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    const { rows } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
    found.push({ name, has_rows: rows.length > 0 });
  }
  return found;
}

/** The list of migrations, unless each server has it already. */
async function listUncopied(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT migrations::text AS name FROM to_regclass($1 || '.migrations') AS migrations
     WHERE migrations IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = migrations)`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** The functions of the schema whose first argument is an account, and that are not distributed yet. */
async function listFunctions(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ signature: string }>(
    `SELECT oid::regprocedure::text AS signature FROM pg_proc
     WHERE pronamespace = to_regnamespace($1) AND proargnames[1] = 'of_account' AND NOT EXISTS (
       SELECT 1 FROM pg_dist_object
       WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid
         AND distribution_argument_index IS NOT NULL)
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ signature }) => signature);
}

/** The roles of the schema that cannot log in. */
async function listRoles(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT rolname::text AS name FROM pg_roles
     WHERE NOT rolcanlogin AND oid IN (
       SELECT grantee FROM pg_namespace CROSS JOIN LATERAL aclexplode(nspacl)
       WHERE nspname = $1 AND grantee <> nspowner)
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

interface Work {
  readonly copied: readonly string[];
  readonly found: readonly DistributedTable[];
  readonly functions: readonly string[];
  readonly keyless: readonly string[];
  readonly reference: string | undefined;
  readonly roles: readonly string[];
  readonly shards: number;
}

async function apply(
  client: pg.Client,
  { copied, found, functions, keyless, roles, shards, ...work }: Work,
): Promise<void> {
  let { reference } = work;
  await client.query(SEQUENTIALLY);
  // oxlint-disable-next-line no-await-in-loop -- one connection
  for (const name of keyless) await client.query(`ALTER TABLE ${name} REPLICA IDENTITY FULL`);
  for (const { has_rows: hasRows, name } of found) {
    const place =
      reference === undefined
        ? `shard_count => ${shards}, colocate_with => 'none'`
        : `colocate_with => '${reference}'`;
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(`SELECT create_distributed_table('${name}', 'account_id', ${place})`);
    // The coordinator keeps the copied rows, hidden, until they are removed.
    if (hasRows) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await client.query(`SELECT truncate_local_data_after_distributing_table('${name}')`);
    }
    reference ??= name;
  }
  // oxlint-disable-next-line no-await-in-loop -- one connection
  for (const name of copied) await client.query(`SELECT create_reference_table('${name}')`);
  for (const signature of functions) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(
      `SELECT create_distributed_function('${signature}', 'of_account', colocate_with => '${reference}')`,
    );
  }
  // oxlint-disable-next-line no-await-in-loop -- one connection
  for (const role of roles) await client.query(`ALTER ROLE ${pg.escapeIdentifier(role)} LOGIN`);
}
