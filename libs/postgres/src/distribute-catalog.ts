// What `annals distribute` finds in a database: the tables and functions of a schema, and what of them is
// distributed already. Called by distribute.ts. Nothing here changes anything.

import { CommandError } from "@annals/cli";
import type pg from "pg";

export interface DistributedTable {
  readonly name: string;
  readonly has_rows: boolean;
}

interface Table {
  readonly name: string;
  readonly is_distributed: boolean;
  readonly has_key: boolean;
  readonly triggers: readonly string[];
}

/** Throws if the database has no Citus, or if its cluster has no worker. */
export async function countWorkers(client: pg.Client): Promise<number> {
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

export async function listTables(client: pg.Client, schema: string): Promise<Table[]> {
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

/** The table that others are placed next to: the rows of an account are on one worker. */
export async function findReference(
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

export async function findRows(
  client: pg.Client,
  tables: readonly Table[],
): Promise<DistributedTable[]> {
  const found: DistributedTable[] = [];
  for (const { name } of tables) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    const { rows } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
    found.push({ name, has_rows: rows.length > 0 });
  }
  return found;
}

/** The list of migrations, unless each server has it already. */
export async function listUncopied(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT migrations::text AS name FROM to_regclass($1 || '.migrations') AS migrations
     WHERE migrations IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = migrations)`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** The tables without an account, but for the list of migrations, that are on the coordinator alone. */
export async function listUnreached(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT pg_class.oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND relname <> 'migrations'
       AND NOT EXISTS (
         SELECT 1 FROM pg_attribute
         WHERE attrelid = pg_class.oid AND attname = 'account_id' AND NOT attisdropped)
       AND NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** The functions of the schema whose first argument is an account, and that are not distributed yet. */
export async function listFunctions(client: pg.Client, schema: string): Promise<string[]> {
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

/** The functions of the schema that are about no account, and that the workers do not have yet. */
export async function listPureFunctions(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ signature: string }>(
    `SELECT oid::regprocedure::text AS signature FROM pg_proc
     WHERE pronamespace = to_regnamespace($1) AND proargnames[1] <> 'of_account' AND NOT EXISTS (
       SELECT 1 FROM pg_dist_object WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid)
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ signature }) => signature);
}

/** The roles of the schema that cannot log in. */
export async function listRoles(client: pg.Client, schema: string): Promise<string[]> {
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
