// The tables that migrations make, and what a distributed PostgreSQL refuses of them. Tables of `keys` and
// tables without an account are never distributed.

import { namesOf, parseSql, walk } from "./sql-tree.ts";
import type { Node } from "../../deploy/generate/sources.ts";

/** The type of each column. */
export type Table = ReadonlyMap<string, string>;
/** Each by its schema and name. */
export type Tables = ReadonlyMap<string, Table>;

export const ACCOUNT = "account_id";

const nameOf = ({ relname, schemaname }: Node): string => `${schemaname}.${relname}`;

const columnsOf = (create: Node): Node[] =>
  (create["tableElts"] as Node[]).flatMap(({ ColumnDef }) => (ColumnDef ? [ColumnDef] : []));

/** The tables of some migrations. */
export function tablesOf(sql: readonly string[]): Tables {
  const creates = sql
    .flatMap(parseSql)
    .flatMap(({ CreateStmt }) => (CreateStmt ? [CreateStmt] : []));
  return new Map(
    creates.map((create: Node) => [
      nameOf(create["relation"]),
      new Map(
        columnsOf(create).map(({ colname, typeName }): [string, string] => [
          colname,
          namesOf(typeName.names).at(-1) ?? "",
        ]),
      ),
    ]),
  );
}

/** Whether a table has an account. */
export const hasAccount = (table: Table | undefined): boolean => table?.has(ACCOUNT) ?? false;

/** Whether a table is distributed where tables are. */
export const isDistributed = (name: string, tables: Tables): boolean =>
  !name.startsWith("keys.") && hasAccount(tables.get(name));

/** What a distributed PostgreSQL refuses of the tables of a migration. */
export function schemaFaults(sql: string): string[] {
  const tables = tablesOf([sql]);
  const granted = new Set<string>();
  const faults: string[] = [];
  const nodes = parseSql(sql);
  walk(nodes, (kind, node) => {
    if (kind !== "GrantStmt" || node["objtype"] !== "OBJECT_SEQUENCE") return;
    for (const { RangeVar } of node["objects"]) granted.add(nameOf(RangeVar));
  });
  walk(nodes, (kind, node) => {
    if (kind === "CreateTrigStmt" && isDistributed(nameOf(node["relation"]), tables))
      faults.push(`a trigger on ${nameOf(node["relation"])}`);
    if (kind !== "CreateStmt" || !isDistributed(nameOf(node["relation"]), tables)) return;
    const table = nameOf(node["relation"]);
    for (const { colname, constraints = [] } of columnsOf(node)) {
      const isIdentity = constraints.some(
        ({ Constraint }: Node) => Constraint.contype === "CONSTR_IDENTITY",
      );
      const sequence = `${table}_${colname}_seq`;
      if (isIdentity && !granted.has(sequence))
        faults.push(`no GRANT USAGE ON SEQUENCE ${sequence}`);
    }
  });
  return faults;
}
