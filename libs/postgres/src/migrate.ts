// Migrations: numbered SQL files of a service, applied forward only and each once; what is missing is
// applied in one transaction. The role and its rights are set each time: a restored database may lack them.
// A file that was applied may never change. A service whose schema lacks a migration, or has another one, is
// not ready and says why.

import {
  ConfigError,
  type databaseSettings,
  type Logger,
  type MigrateContext,
} from "@annals/chassis";
import { CommandError } from "@annals/cli";
import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { reasonOf } from "./command-pool.ts";
import { isServerError } from "./failure.ts";
import { type Login, setLogin } from "./login.ts";
import { checkUrl } from "./pool.ts";
import { rolesOf, setRights } from "./rights.ts";
import {
  type Access,
  closeDatabase,
  refuseForeignRoles,
  refuseOtherPrefix,
  withPrefix,
} from "./roles.ts";
import { beginSession, refuseUnsupported } from "./server-requirements.ts";
import { BEGIN, connectionOf } from "./session-settings.ts";
import { type Database, statement } from "./statement.ts";

export interface MigrateOptions {
  /** URL of a role that may create schemas and roles. */
  readonly connectionString: string;
  readonly schema: string;
  /** Holds NNNN_name.sql files. */
  readonly directory: string;
  /** Prefix of all roles; `annals` by default. */
  readonly rolePrefix?: string;
  /** URL of `serve`: its login is created if absent, and granted the role (login.ts). */
  readonly serveConnectionString?: string | undefined;
  /** How long a server is waited for that cannot be reached or is starting. */
  readonly waitMs?: number;
  readonly log?: Logger;
}

/** What a service says of its schema. */
export type Schema = Pick<MigrateOptions, "schema" | "directory">;

const DEFAULT_PREFIX = "annals";

/** What a migration found and did, with the names of the fields in the log. */
export interface Migrated {
  /** The last migration that the database had; null if it had none. */
  readonly before: string | null;
  readonly after: string | null;
  readonly applied: readonly string[];
  readonly roles: readonly string[];
  /** False if the schema is of a later release, whose rights are left as they are. */
  readonly rights_set: boolean;
  /** Logins of `serve`, one for each role, if its URL was given. */
  readonly logins: readonly Login[];
  /** Who may connect to the database: any login of the server if the login of `migrate` does not own it. */
  readonly access: Access;
  /** For the server. */
  readonly waited_ms: number;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

const FILE_NAME = /^\d{4}_[a-z0-9-]+\.sql$/;

/** An advisory lock, any constant: processes that migrate at the same time wait for each other. */
const LOCK = 7_203_114_081;

const CONNECT_TIMEOUT_MS = 10_000;

/** Between two attempts to reach the server. */
const RETRY_DELAY_MS = 500;

/** The command `migrate` of every service. It reports in one line, a failure in one sentence. */
export async function migrateSchema(
  { config, log, waitS }: MigrateContext<typeof databaseSettings>,
  schema: Schema,
): Promise<void> {
  const began = performance.now();
  const report = await migrate({
    ...schema,
    connectionString: config.databaseUrl,
    rolePrefix: config.databaseRolePrefix,
    serveConnectionString: config.serveDatabaseUrl,
    waitMs: waitS * 1_000,
    log,
  }).catch((error: unknown) => {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error;
    // A code of PostgreSQL or of the system.
    const code = "code" in error ? ` (${String(error.code)})` : "";
    throw new CommandError(`${schema.schema}: ${reasonOf(error)}${code}`);
  });
  log.info({ schema: schema.schema, ...report, duration_ms: since(began) }, "migrated");
}

/** Applies what is missing. Throws when an applied file has changed. */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const prefix = options.rolePrefix ?? DEFAULT_PREFIX;
  const migrations = await readMigrations(options.directory, prefix);
  const files = migrations.map(({ sql }) => sql);
  const roles = rolesOf(files);
  checkUrl(options.connectionString);
  const began = performance.now();
  const client = await connect(options);
  const waited = since(began);
  try {
    refuseUnsupported(await beginSession(client));
    await client.query(BEGIN);
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await refuseOtherPrefix(client, options.schema, roles);
    await refuseForeignRoles(client, roles);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${options.schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${options.schema}.migrations (
         name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const { rows } = await client.query<Applied>(
      `SELECT name, sha256 FROM ${options.schema}.migrations ORDER BY name COLLATE "C"`,
    );
    const fault = changedFile(migrations, rows);
    if (fault !== undefined) throw new Error(fault);
    const had = rows.map(({ name }) => name);
    const missing = migrations.filter(({ name }) => !had.includes(name));
    for (const each of missing) await apply(client, options.schema, each);
    // A later release may have given the role more: this one does not know, and leaves the rights as they
    // are.
    const isLater = hasUnknown(migrations, rows);
    if (!isLater) await setRights(client, options.schema, files);
    const logins: Login[] = [];
    if (options.serveConnectionString !== undefined) {
      for (const role of roles)
        logins.push(await setLogin(client, options.serveConnectionString, role));
    }
    const access = await closeDatabase(client);
    await client.query("COMMIT");
    const applied = missing.map(({ name }) => name);
    return {
      before: had.at(-1) ?? null,
      after: [...had, ...applied].toSorted().at(-1) ?? null,
      applied,
      roles,
      rights_set: !isLater,
      logins,
      access,
      waited_ms: waited,
    };
  } finally {
    await client.end();
  }
}

const since = (began: number): number => Math.round(performance.now() - began);

async function apply(client: pg.Client, schema: string, migration: Migration): Promise<void> {
  const { name, sha256, sql } = migration;
  await client.query(sql).catch((error: unknown) => {
    // PostgreSQL does not know which file it is.
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  });
  await client.query(`INSERT INTO ${schema}.migrations (name, sha256) VALUES ($1, $2)`, [
    name,
    sha256,
  ]);
}

/**
 * Tries again while no server responds, or one is starting. A refusal, such as a wrong password, is final.
 */
async function connect({ connectionString, waitMs = 0, log }: MigrateOptions): Promise<pg.Client> {
  const until = performance.now() + waitMs;
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({
      ...connectionOf({ connectionString }),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    // The statement in progress reports a lost connection; without a listener it would also end the process.
    client.on("error", () => {});
    try {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await client.connect();
      return client;
    } catch (error) {
      if (isServerError(error) || performance.now() >= until) throw error;
      if (attempt === 1) log?.warn({ err: error, wait_ms: waitMs }, "waiting for the database");
      // oxlint-disable-next-line no-await-in-loop -- as above
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** A readiness check: resolves to a sentence when a migration is missing in the database or differs. */
export function schemaCheck(
  database: Database,
  { schema, directory }: Schema,
): () => Promise<string | undefined> {
  const listApplied = statement<[], Applied>(
    `/* ${schema}.list-migrations */ SELECT name, sha256 FROM ${schema}.migrations`,
    { route: "local" },
  );
  return async () => {
    const [migrations, applied] = await Promise.all([
      readMigrations(directory),
      database.run(listApplied, []).catch(withCause),
    ]);
    const names = new Set(applied.map(({ name }) => name));
    const missing = migrations.find(({ name }) => !names.has(name));
    if (missing)
      return `the schema ${schema} lacks ${missing.name}: run the migrate command of this release`;
    return changedFile(migrations, applied);
  };
}

/** For an operator: what clients see of a failure leaves out why. */
function withCause(error: unknown): never {
  if (!(error instanceof Error && error.cause instanceof Error)) throw error;
  throw new Error(`${error.message} (${error.cause.message})`, { cause: error });
}

interface Applied {
  readonly name: string;
  readonly sha256: string;
}

function hasUnknown(migrations: readonly Migration[], applied: readonly Applied[]): boolean {
  const known = new Set(migrations.map(({ name }) => name));
  return applied.some(({ name }) => !known.has(name));
}

/** Migrations that only the database has are fine: they are additive, of a later release. */
function changedFile(
  migrations: readonly Migration[],
  applied: readonly Applied[],
): string | undefined {
  const known = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  const changed = migrations.find(
    ({ name, sha256 }) => known.has(name) && known.get(name) !== sha256,
  );
  return changed && `${changed.name} is not the file that was applied to this database`;
}

/** The digest is that of the file, whatever the prefix is. */
async function readMigrations(directory: string, prefix = DEFAULT_PREFIX): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sql")).toSorted();
  const texts = await Promise.all(
    files.map((file) => {
      if (!FILE_NAME.test(file)) throw new Error(`a migration is named NNNN_name.sql, not ${file}`);
      return readFile(join(directory, file), "utf8");
    }),
  );
  const named = withPrefix(prefix, texts);
  return texts.map((text, at) => ({
    name: files[at] ?? "",
    sql: named[at] ?? "",
    sha256: hash("sha256", text),
  }));
}
