// Two databases with the schema of a service and the same rows: one on a single PostgreSQL, one whose tables
// are distributed. Called by statements.test.ts. The statements run with the rights of the service.

import { createLog } from "@annals/chassis";
import { createPool, type Pool } from "@annals/postgres";
import { createDatabase, createMigratedDatabase, type TestDatabase } from "@annals/testing";
import pg from "pg";
import { migrateSchemas } from "../system/schemas.ts";
import type { Seeds } from "./seeds/seeds.ts";

const TIMEOUT_MS = 60_000;

/** The rows of a table, each value as PostgreSQL prints it. */
export type TextRow = Readonly<Record<string, string | null>>;
export type Contents = ReadonlyMap<string, readonly TextRow[]>;

export interface Side {
  /** One connection with the rights of the service, so that its statements are prepared once. */
  readonly pool: Pool;
  /** Runs a statement with the rights of the service, and parameters; values are what PostgreSQL prints. */
  explain(text: string, params: readonly unknown[]): Promise<TextRow[]>;
  /** Runs a statement as the owner. */
  query(text: string): Promise<TextRow[]>;
  contents(): Promise<Contents>;
  /** Makes the rows of these tables those of the seeds again. */
  restore(tables: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

export interface Sides {
  readonly plain: Side;
  readonly distributed: Side;
  readonly seeds: Seeds;
  /** What both hold before a statement. */
  readonly seeded: Contents;
  close(): Promise<void>;
}

export interface Both {
  readonly single: TestDatabase;
  readonly spread: TestDatabase;
  drop(): Promise<void>;
}

interface SideOptions {
  readonly role: string;
  readonly schema: string;
  readonly seeds: Seeds;
}

/** Makes both databases with the schemas of all services. */
export async function createBoth(serverUrl: string): Promise<Both> {
  const single = await createDatabase(serverUrl);
  await migrateSchemas(single.url);
  const spread = await createMigratedDatabase(serverUrl);
  return {
    single,
    spread,
    drop: async () => {
      await single.drop();
      await spread.drop();
    },
  };
}

/** Stores the seeds of a schema in both. */
export async function openSides({ single, spread }: Both, options: SideOptions): Promise<Sides> {
  const plain = openSide(single.url, options);
  const distributed = openSide(spread.url, options);
  for (const side of [plain, distributed]) await side.restore(Object.keys(options.seeds));
  return {
    plain,
    distributed,
    seeds: options.seeds,
    seeded: await plain.contents(),
    close: async () => {
      await plain.close();
      await distributed.close();
    },
  };
}

const AS_TEXT = { getTypeParser: () => String } as unknown as pg.CustomTypesConfig;

function openSide(url: string, { role, schema, seeds }: SideOptions): Side {
  const pool = createPool({
    connectionString: url,
    role,
    applicationName: "annals-statements-test",
    maxConnections: 1,
    statementTimeoutMs: TIMEOUT_MS,
    log: createLog({ service: "test", level: "error" }),
  });
  const settings = { connectionString: url, types: AS_TEXT };
  const owner = new pg.Pool({ ...settings, max: 4 });
  const explainer = new pg.Pool({ ...settings, max: 1, options: `-c role=${role}` });
  for (const each of [owner, explainer]) each.on("error", () => {});
  const query = async (text: string) => (await owner.query<TextRow>(text)).rows;
  const tables = Object.keys(seeds).toSorted();
  return {
    pool,
    query,
    explain: async (text, params) => (await explainer.query<TextRow>(text, [...params])).rows,
    contents: async () =>
      new Map(
        await Promise.all(
          tables.map(async (table): Promise<[string, TextRow[]]> => {
            const rows = await query(`SELECT * FROM ${schema}.${table}`);
            return [table, rows.toSorted(byText)];
          }),
        ),
      ),
    restore: async (changed) => {
      for (const table of changed) await fill(owner, `${schema}.${table}`, seeds[table] ?? []);
    },
    close: async () => {
      await pool.close();
      await owner.end();
      await explainer.end();
    },
  };
}

/** Rows begin with the columns of their primary key. */
const byText = (a: TextRow, b: TextRow): number => (keyOf(a) < keyOf(b) ? -1 : 1);
const keyOf = (row: TextRow): string => Object.values(row).join("\0");

/** Numbers of new rows begin here, in each run. */
const FIRST_NUMBER = 100_000;

async function fill(owner: pg.Pool, table: string, rows: Seeds[string]): Promise<void> {
  await owner.query(`DELETE FROM ${table}`);
  const columns = Object.keys(rows[0] ?? {}).join(", ");
  const isNumbered = /\.(audit_outbox|deliveries)$/.test(table);
  await owner.query(
    `INSERT INTO ${table} (${columns}) ${isNumbered ? "OVERRIDING SYSTEM VALUE" : ""}
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
    [JSON.stringify(rows)],
  );
  if (isNumbered)
    await owner.query(`SELECT setval('${table}_number_seq'::regclass, ${FIRST_NUMBER}, false)`);
}
