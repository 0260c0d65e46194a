// Distributes the tables of a service over the workers of a Citus cluster, by account, and gives each server
// a copy of its list of migrations. Called by the commands of the services. Everything happens in one
// transaction: a failure leaves the tables as they were. It must never distribute a table whose rows could
// be changed meanwhile.

import { CommandError } from "@annals/cli";
import pg from "pg";
import { reasonOf } from "./command-pool.ts";
import {
  countWorkers,
  type DistributedTable,
  findReference,
  findRows,
  listFunctions,
  listPureFunctions,
  listRoles,
  listTables,
  listUncopied,
  listUnreached,
} from "./distribute-catalog.ts";
import { checkUrl } from "./pool.ts";
import { beginSession } from "./server-requirements.ts";
import { BEGIN, connectionOf } from "./session-settings.ts";

export interface DistributeOptions {
  /** URL of the login that owns the tables. */
  readonly connectionString: string;
  readonly schema: string;
  /** Number of shards of each table. The first tables of a database decide it for all. */
  readonly shards?: number | undefined;
  /** Tables that have rows are distributed too. Their rows are copied, and writes wait meanwhile. */
  readonly copies: boolean;
  /** The service may be connected to any server: each one reaches the tables without an account. */
  readonly servesAnywhere?: boolean | undefined;
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
  /** Tables that stay on the coordinator, and that each server reaches there. */
  readonly reached: readonly string[];
  /** Signatures of functions that are, or would be, run on the worker of their account. */
  readonly functions: readonly string[];
  /** Roles that get LOGIN: the coordinator connects to the workers as the role of a statement. */
  readonly roles: readonly string[];
  readonly applied: boolean;
}

const DEFAULT_SHARDS = 32;

/** Time for which the locks of the tables are waited for: everything that comes later waits with them. */
const LOCK_TIMEOUT_MS = 10_000;
const TRANSACTION = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`;
/** Tables and functions need one connection per worker in a transaction. */
const SEQUENTIALLY = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";

/** Returns what it did or would do. Throws one sentence if the database does not allow it. */
export async function distribute(options: DistributeOptions): Promise<Distribution> {
  checkUrl(options.connectionString);
  const client = new pg.Client(connectionOf(options));
  client.on("error", () => {});
  try {
    await client.connect();
    await beginSession(client);
    await client.query(BEGIN);
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
  { applies, copies, schema, servesAnywhere = false, shards: given }: DistributeOptions,
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
  const reached = servesAnywhere ? await listUnreached(client, schema) : [];
  const functions = await listFunctions(client, schema);
  const pure = await listPureFunctions(client, schema);
  const roles = await listRoles(client, schema);
  // Shards move under load by logical replication, which identifies rows by a key or by all columns.
  const keyless = missing.filter((table) => !table.has_key).map(({ name }) => name);
  const reference = kept?.name;
  if (applies)
    await apply(client, {
      copied,
      found,
      functions,
      keyless,
      pure,
      reached,
      reference,
      roles,
      shards,
    });
  return {
    schema,
    workers,
    shards,
    already: tables.filter((table) => table.is_distributed).map(({ name }) => name),
    tables: found,
    copied,
    reached,
    functions,
    roles,
    applied: applies,
  };
}

interface Work {
  readonly copied: readonly string[];
  readonly found: readonly DistributedTable[];
  readonly functions: readonly string[];
  readonly keyless: readonly string[];
  /** Functions that each worker gets a copy of. */
  readonly pure: readonly string[];
  readonly reached: readonly string[];
  readonly reference: string | undefined;
  readonly roles: readonly string[];
  readonly shards: number;
}

async function apply(
  client: pg.Client,
  { copied, found, functions, keyless, pure, reached, roles, shards, ...work }: Work,
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
  for (const name of reached)
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(`SELECT citus_add_local_table_to_metadata('${name}')`);
  for (const signature of pure)
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(`SELECT create_distributed_function('${signature}')`);
  for (const signature of functions) {
    // A function with its owner's rights runs on the worker in a transaction, too: on the coordinator it
    // would reach the rows as another user than the statements before it, which Citus refuses.
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(
      `SELECT create_distributed_function(
         oid::regprocedure, 'of_account', colocate_with => '${reference}', force_delegation => prosecdef)
       FROM pg_proc WHERE oid = '${signature}'::regprocedure`,
    );
  }
  // oxlint-disable-next-line no-await-in-loop -- one connection
  for (const role of roles) await client.query(`ALTER ROLE ${pg.escapeIdentifier(role)} LOGIN`);
}
