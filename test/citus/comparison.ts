// Runs a statement on both databases and reports how they differ afterwards: in the rows that it returned,
// and in the rows of every table of the schema. Called by statements.test.ts. It must never take a refusal
// for a result.

import type { Database } from "@annals/postgres";
import type { Found } from "../system/all-statements.ts";
import { AGES, areSameMoment, MOMENTS, RANDOM, UNORDERED } from "./moments.ts";
import type { Contents, Side, Sides, TextRow } from "./databases.ts";
import { isOrdered, kindOf, type Run } from "./parameters.ts";

type Row = Readonly<Record<string, unknown>>;

export interface Compared {
  /** One sentence for each difference. */
  readonly differences: readonly string[];
  /** Whether the statement returned a row, or if it writes, changed a table. */
  readonly hasEffect: boolean;
}

/** Runs it on both, compares, and makes the tables what they were. */
export async function compare(
  sides: Sides,
  statement: Found,
  run: Pick<Run, "before" | "isInTransaction" | "params">,
): Promise<Compared> {
  const { before } = run;
  if (before !== undefined)
    for (const side of [sides.plain, sides.distributed]) await side.query(before);
  const start = before === undefined ? sides.seeded : await sides.plain.contents();
  const plain = await resultOf(sides.plain, statement, run);
  const distributed = await resultOf(sides.distributed, statement, run);
  const differences = rowDifferences(statement, plain, distributed);
  const kind = kindOf(statement);
  if (kind === "read" && before === undefined) return { differences, hasEffect: plain.length > 0 };
  const [one, other] = [await sides.plain.contents(), await sides.distributed.contents()];
  const [schema = ""] = statement.name.split(".");
  differences.push(...tableDifferences(schema, one, other));
  const changed = changedTables(start, one);
  const unlike = new Set(
    [one, other].flatMap((contents) => [...changedTables(sides.seeded, contents)]),
  );
  for (const side of [sides.plain, sides.distributed]) await side.restore(unlike);
  const hasEffect = kind === "write" ? changed.size > 0 : plain.length > 0;
  return { differences, hasEffect };
}

async function resultOf(
  { pool }: Side,
  statement: Found,
  { isInTransaction = false, params }: Pick<Run, "isInTransaction" | "params">,
): Promise<Row[]> {
  const runIn = (database: Database) => database.run<readonly unknown[], Row>(statement, params);
  try {
    return await (isInTransaction ? pool.transaction(runIn) : runIn(pool));
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return [{ refusal: `${code}: ${message}` }];
  }
}

/** Also of statements that both refuse: a case is one that PostgreSQL takes. */
function rowDifferences(
  statement: Found,
  plain: readonly Row[],
  distributed: readonly Row[],
): string[] {
  const refusals = [...plain, ...distributed].flatMap(({ refusal }) =>
    refusal === undefined ? [] : [`refused: ${JSON.stringify(refusal)}`],
  );
  if (refusals.length > 0) return refusals;
  const [one = [], other = []] = [plain, distributed].map((rows) =>
    isOrdered(statement)
      ? rows
      : rows.toSorted((a, b) => (withoutAges(a) < withoutAges(b) ? -1 : 1)),
  );
  const [first, second] = [one, other].map((rows) => rows.map(withoutAges));
  if (JSON.stringify(first) !== JSON.stringify(second))
    return [`returned ${JSON.stringify(first)} and, distributed, ${JSON.stringify(second)}`];
  return one.flatMap((row, index) =>
    Object.entries(row).flatMap(([column, value]) =>
      AGES.has(column) && !areSameMoment(value, other[index]?.[column])
        ? [
            `returned ${column} ${String(value)} and, distributed, ${String(other[index]?.[column])}`,
          ]
        : [],
    ),
  );
}

/** A row as a text, with only whether it has an age. */
function withoutAges(row: Row): string {
  const columns = Object.entries(row).map(([column, value]) => {
    if (AGES.has(column)) return [column, value !== null];
    return [column, UNORDERED.has(column) && Array.isArray(value) ? sorted(value) : value];
  });
  return JSON.stringify(Object.fromEntries(columns));
}

const sorted = (values: readonly unknown[]): unknown[] =>
  values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function changedTables(before: Contents, after: Contents): Set<string> {
  const tables = [...after].filter(
    ([table, rows]) => JSON.stringify(rows) !== JSON.stringify(before.get(table)),
  );
  return new Set(tables.map(([table]) => table));
}

export function tableDifferences(schema: string, plain: Contents, distributed: Contents): string[] {
  return [...plain].flatMap(([table, rows]) => {
    const others = distributed.get(table) ?? [];
    if (rows.length !== others.length)
      return [`${schema}.${table} has ${rows.length} rows and, distributed, ${others.length}`];
    return rows.flatMap((row, index) => cellDifferences(`${schema}.${table}`, row, others[index]));
  });
}

function cellDifferences(table: string, row: TextRow, other: TextRow = {}): string[] {
  return Object.entries(row).flatMap(([column, value]) => {
    const compared = other[column];
    const name = `${table}.${column}`;
    const isSame =
      value === compared ||
      (MOMENTS.has(name) && areSameMoment(value, compared)) ||
      (RANDOM.has(name) && typeof value === typeof compared);
    const key = `${row["account_id"]}/${row["id"] ?? row["number"] ?? Object.values(row)[1]}`;
    return isSame ? [] : [`${name} of ${key} is ${value} and, distributed, ${compared}`];
  });
}
