// What the filter index of an account takes in PostgreSQL, an event. Called by the measurements of fields and
// of counts. It must never count what is still fresh: that is replaced within minutes.

import { openSql } from "./sql.ts";

/** Declared fields begin with this number. */
export const FIRST_DECLARED = 16;
const SEALED = 65_536;
const FRESH = 4_096;
/** Head and pointer of a row. */
const ROW_BYTES = 28;

const rowBytes = (...columns: readonly string[]): string =>
  `sum(${[ROW_BYTES, ...columns.map((column) => `coalesce(pg_column_size(${column}), 0)`)].join(" + ")})`;

interface FieldBytes {
  readonly field: number;
  readonly bytes: number;
}

/** Bytes an event of each field in sealed segments. */
export async function indexBytes(databaseUrl: string, accountId: string): Promise<FieldBytes[]> {
  const block = ["account_id", "field", "level", "base", "first", "keys", "counts", "places"];
  const rows = await rowsOf(
    databaseUrl,
    `SELECT field, ${rowBytes(...block)}::numeric / (${SEALED} * count(DISTINCT base)) AS bytes
     FROM ledger.blocks WHERE account_id = '${accountId}' AND level = 1
     GROUP BY field ORDER BY field`,
  );
  return rows.map(({ bytes, field }) => ({ field: Number(field), bytes: Number(bytes) }));
}

/** Bytes an event of the times of segments. */
export async function timeBytes(databaseUrl: string, accountId: string): Promise<number> {
  const segment = ["account_id", "level", "base", "earliest", "latest", "first_received"];
  const columns = [...segment, "last_received", "minutes", "quarters"];
  const [row] = await rowsOf(
    databaseUrl,
    `SELECT ${rowBytes(...columns)}::numeric / (${FRESH} * count(*) FILTER (WHERE level = 0)) AS bytes
     FROM ledger.segments WHERE account_id = '${accountId}'`,
  );
  return Number(row?.["bytes"]);
}

export const bytesText = (bytes: number): string => `${bytes.toFixed(1)} bytes`;

async function rowsOf(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = await openSql(databaseUrl);
  try {
    return await sql.rows(text);
  } finally {
    await sql.close();
  }
}
