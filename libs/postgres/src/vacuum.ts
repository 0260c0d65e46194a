// VACUUM of tables, on a connection of its own without a statement timeout: it may take hours. Called by the
// worker of the ledger that removes erased rows. It says how far it came: PostgreSQL keeps a row as long as
// an older snapshot may see it, and no statement shows the snapshots of other roles.

import pg from "pg";
import type { PoolOptions } from "./pool.ts";
import { beginSession } from "./server-requirements.ts";
import { connectionOf } from "./session-settings.ts";

export type VacuumOptions = Pick<PoolOptions, "applicationName" | "connectionString" | "role">;

const CONNECT_TIMEOUT_MS = 3_000;
/** The delay of autovacuum leaves the disk to others. */
const SETTINGS = "-c statement_timeout=0 -c vacuum_cost_delay=2";
const NUMBERS = 2n ** 32n;

const FINISHED = /^finished (?:aggressive )?vacuuming "[^"]*\.(\w+\.\w+)"/;
const CUTOFF = /^removable cutoff: (\d+),/m;
/** Pages that another session held: their rows are left. */
const MISSED = /^tuples missed: (?!0 )/m;

/**
 * Resolves to the number of a transaction: what transactions before it deleted is gone from the tables and
 * their indexes. Undefined if a table was skipped, or if PostgreSQL did not say.
 */
export async function vacuumTables(
  options: VacuumOptions,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const { options: given, ...connection } = connectionOf(options);
  const client = new pg.Client({
    ...connection,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: `${given ?? ""} ${SETTINGS}`,
  });
  // Without a listener the loss of the connection ends the process. The statement rejects, too.
  client.on("error", () => {});
  const reports: string[] = [];
  client.on("notice", ({ message }) => void reports.push(message ?? ""));
  // While a statement runs, this closes the socket.
  const abort = () => void client.end().catch(() => {});
  await client.connect();
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    await beginSession(client);
    for (const table of tables)
      await client.query(`VACUUM (VERBOSE, INDEX_CLEANUP ON, SKIP_LOCKED, TRUNCATE OFF) ${table}`);
    const { rows } = await client.query<{ next: string }>(
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next",
    );
    return cutoffOf(reports, tables, BigInt(rows[0]?.next ?? 0));
  } finally {
    signal.removeEventListener("abort", abort);
    await client.end().catch(() => {});
  }
}

/** `next` is the number of the next transaction. A report has the last 32 bits of an earlier one. */
export function cutoffOf(
  reports: readonly string[],
  tables: readonly string[],
  next: bigint,
): bigint | undefined {
  const finished = reports.map((report) => FINISHED.exec(report)?.[1]);
  if (tables.some((table) => !finished.includes(table))) return undefined;
  let least: bigint | undefined;
  for (const report of reports.filter((_, at) => finished[at] !== undefined)) {
    const [, text] = CUTOFF.exec(report) ?? [];
    if (text === undefined || MISSED.test(report)) return undefined;
    const behind = (((next - BigInt(text)) % NUMBERS) + NUMBERS) % NUMBERS;
    const cutoff = next - behind;
    if (least === undefined || cutoff < least) least = cutoff;
  }
  return least;
}
