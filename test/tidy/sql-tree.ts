// SQL as PostgreSQL's own parser reads it, and what the rules of routes ask of its tree. Called by
// route-rules.ts and schema-rules.ts. A node is an object with one member, which names its kind.

import { parseSync, loadModule } from "libpg-query";
import type { Node } from "../../deploy/generate/sources.ts";

await loadModule();

/** The statements of a text. */
export function parseSql(text: string): Node[] {
  const { stmts = [] } = parseSync(text) as { stmts?: { stmt: Node }[] };
  return stmts.map(({ stmt }) => stmt);
}

export const QUERIES = ["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"];
export const WRITES = new Set(["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);

/** A query's kind and content. */
export function queryOf(node: Node): readonly [kind: string, query: Node] {
  const [entry] = Object.entries(node);
  if (!entry) throw new TypeError("an empty node");
  return entry;
}

export type Visit = (kind: string, node: Node) => boolean | void;

/** Visits every node below, with its kind. A visit that answers true does not go below the node. */
export function walk(value: unknown, visit: Visit): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  else if (typeof value === "object" && value !== null)
    for (const [kind, node] of Object.entries(value)) {
      if (typeof node !== "object" || node === null) continue;
      if (visit(kind, node as Node) !== true) walk(node, visit);
    }
}

/** Whether a node below, or a part of one, is of that kind and as the test wants it. */
export function has(value: unknown, kind: string, test: (node: Node) => boolean = () => true) {
  let found = false;
  walk(value, (each, node) => {
    found ||= each === kind && test(node);
    return found;
  });
  return found;
}

/** The names in a list of String nodes. */
export const namesOf = (list: readonly Node[] = []): string[] =>
  list.map((node) => node["String"]?.sval ?? "*");

/** The last name of a called function, and the schema if it is named. */
export function functionOf(call: Node): { readonly name: string; readonly schema?: string } {
  const [name = "", schema] = namesOf(call["funcname"]).toReversed();
  return { name, ...(schema !== undefined && schema !== "pg_catalog" && { schema }) };
}

/** The table and the name of a column reference; the table only if it is named. */
export function columnOf(
  node: Node,
): { readonly table?: string; readonly name: string } | undefined {
  if (!node?.["ColumnRef"]) return undefined;
  const [name = "", table] = namesOf(node["ColumnRef"].fields).toReversed();
  return { name, ...(table !== undefined && { table }) };
}

/** The number of a parameter, with a cast or without one. */
export function parameterOf(node: Node | undefined): number | undefined {
  if (node?.["TypeCast"]) return parameterOf(node["TypeCast"].arg);
  return node?.["ParamRef"]?.number;
}

/** The parts of a condition that AND joins. */
export function conjuncts(node: Node | undefined): Node[] {
  if (!node) return [];
  if (node["BoolExpr"]?.boolop === "AND_EXPR") return node["BoolExpr"].args.flatMap(conjuncts);
  return [node];
}

export const typeOf = (cast: Node): string | undefined =>
  namesOf(cast["typeName"]?.names).findLast(() => true);
