// What a statement must be like, so that a distributed PostgreSQL sends it to the servers that it declares
// (Route in libs/postgres/src/statement.ts), and neither refuses it nor runs a part of it. Citus 14 has been
// tried: each rule is a form that it refused, or changed nothing by. Called by statements.test.ts;
// route-rules.test.ts has a statement for each rule that breaks it.

import type { Route } from "@annals/postgres";
import { writeFaults } from "./write-rules.ts";
import { ACCOUNT, hasAccount, isDistributed, type Tables } from "./schema-rules.ts";
import {
  columnOf,
  conjuncts,
  functionOf,
  has,
  namesOf,
  parameterOf,
  parseSql,
  QUERIES,
  queryOf,
  typeOf,
  walk,
  WRITES,
} from "./sql-tree.ts";
import type { Node } from "../../deploy/generate/sources.ts";

interface Text {
  readonly text: string;
  readonly route: Route;
}

interface Condition {
  readonly node: Node;
  /** Aliases that it holds for; absent if it holds for all. */
  readonly of?: readonly string[];
}

/** What is read or written at one level of a statement, without the queries in it. */
interface Level {
  readonly kind: string;
  readonly query: Node;
  /** Alias and name of each table that has an account. */
  readonly tables: readonly { readonly alias: string; readonly name: string }[];
  readonly sources: readonly Node[];
  readonly conditions: readonly Condition[];
  /** Whether it is a condition or a value of another level, or LATERAL: it sees the other's columns. */
  readonly isInner: boolean;
}

export function routeFaults({ route, text }: Text, tables: Tables): string[] {
  const [node, ...more] = parseSql(text);
  if (!node || more.length > 0) return ["not one statement"];
  const levels = levelsOf(node, tables);
  const named = levels.flatMap((level) => level.tables);
  if (route === "local")
    return named.some(({ name }) => isDistributed(name, tables)) ? ["a table with accounts"] : [];
  if (named.length === 0) return ["no table with accounts"];
  const pins = new Set<number>();
  const faults = [
    ...levels.flatMap((level) => formFaults(level, route)),
    ...(route === "all accounts, read"
      ? readFaults(node, levels)
      : levels.flatMap((level) => accountFaults(level, route, pins))),
    ...writeFaults(node, tables),
  ];
  if (pins.size > 1) faults.push("two accounts");
  return [...new Set(faults)];
}

/** Every query of the statement. */
function levelsOf(node: Node, tables: Tables): Level[] {
  const found: Level[] = [];
  const visit = (value: unknown, isInner: boolean): void =>
    walk(value, (kind, each) => {
      if (kind === "SubLink") {
        visit(each["testexpr"], isInner);
        visit(each["subselect"], true);
        return true;
      }
      if (kind === "RangeSubselect") {
        visit(each["subquery"], isInner || each["lateral"] === true);
        return true;
      }
      if (!QUERIES.includes(kind)) return;
      found.push(levelOf(kind, each, { isInner, tables }));
      if (kind !== "SelectStmt" || each["op"] === "SETOP_NONE") return;
      // The two sides of a UNION are without their kind.
      visit(
        [each["withClause"], { SelectStmt: each["larg"] }, { SelectStmt: each["rarg"] }],
        isInner,
      );
      return true;
    });
  visit(node, false);
  return found;
}

function levelOf(
  kind: string,
  query: Node,
  { isInner, tables }: { readonly isInner: boolean; readonly tables: Tables },
): Level {
  const from: Node[] = [...(query["fromClause"] ?? []), ...(query["usingClause"] ?? [])];
  const sources = from.flatMap(sourcesOf);
  const target = WRITES.has(kind) ? [{ RangeVar: query["relation"] }] : [];
  return {
    kind,
    query,
    sources,
    tables: [...target, ...sources].flatMap(({ RangeVar }: Node) => {
      const name = `${RangeVar?.schemaname}.${RangeVar?.relname}`;
      return hasAccount(tables.get(name)) ? [{ alias: aliasOf({ RangeVar }), name }] : [];
    }),
    conditions: [
      ...conjuncts(query["whereClause"]).map((node) => ({ node })),
      ...from.flatMap(joinConditions),
    ],
    isInner,
  };
}

/** What a join joins. */
const sourcesOf = (node: Node): Node[] => {
  const join = node["JoinExpr"];
  return join ? [...sourcesOf(join.larg), ...sourcesOf(join.rarg)] : [node];
};

const aliasOf = (source: Node): string => {
  const [, { alias, relname }] = queryOf(source);
  return alias?.aliasname ?? relname ?? "";
};

/** The condition of a left join holds for what it joins, and not for what it joins that to. */
function joinConditions({ JoinExpr: join }: Node): Condition[] {
  if (!join) return [];
  const of = join.jointype === "JOIN_INNER" ? {} : { of: sourcesOf(join.rarg).map(aliasOf) };
  const given = conjuncts(join.quals).map((node): Condition => ({ node, ...of }));
  const using = namesOf(join.usingClause).includes(ACCOUNT) ? [{ node: { using: ACCOUNT } }] : [];
  return [...joinConditions(join.larg), ...joinConditions(join.rarg), ...given, ...using];
}

/** Forms that are refused whatever they name. */
function formFaults({ query, sources, tables }: Level, route: Route): string[] {
  const { op, targetList, valuesLists, withClause } = query;
  const faults: string[] = [];
  const ctes: Node[] = withClause?.ctes ?? [];
  if (ctes.some(({ CommonTableExpr }) => WRITES.has(queryOf(CommonTableExpr.ctequery)[0])))
    faults.push("a CTE that writes");
  if (withClause?.recursive && route !== "one account") faults.push("recursion over accounts");
  if (op === "SETOP_NONE" && !targetList && !valuesLists) faults.push("SELECT without a column");
  if (has(sources, "RangeFunction", isOwnFunction)) faults.push("a function of a service in FROM");
  const laterals = sources.filter(({ RangeSubselect }) => RangeSubselect?.lateral);
  if (route === "all accounts, read" && has(laterals, "RangeVar"))
    faults.push("LATERAL over accounts");
  const functions = sources.filter(({ RangeFunction }) => RangeFunction).map(aliasOf);
  const isOfFunction = (link: Node): boolean =>
    has(link, "ColumnRef", ({ fields }) => functions.includes(namesOf(fields)[0] ?? ""));
  if (tables.length === 0 && has(targetList, "SubLink", isOfFunction))
    faults.push("a correlated subquery over unnest");
  return faults;
}

const isOwnFunction = (range: Node): boolean =>
  has(range["functions"], "FuncCall", (call) => functionOf(call).schema !== undefined);

/** Whether every table is compared with the one account, or with the one list of accounts. */
function accountFaults(level: Level, route: Route, pins: Set<number>): string[] {
  return level.tables.flatMap(({ alias, name }) => {
    const pin =
      level.kind === "InsertStmt"
        ? insertedAccount(level.query)
        : level.conditions.map((each) => pinOf(each, alias, level, route)).find(Boolean);
    if (pin === undefined) return [`${name} is not compared with ${route}`];
    pins.add(pin);
    return [];
  });
}

function isAccountOf(node: Node, alias: string, { tables }: Level): boolean {
  const column = columnOf(node);
  if (column?.name !== ACCOUNT) return false;
  return column.table === undefined ? tables.length === 1 : column.table === alias;
}

/** The parameter that a condition compares the account of a table with. */
function pinOf({ node, of }: Condition, alias: string, level: Level, route: Route) {
  const { kind, lexpr, name, rexpr } = node["A_Expr"] ?? {};
  if (of && !of.includes(alias)) return undefined;
  if (namesOf(name)[0] !== "=" || !isAccountOf(lexpr, alias, level)) return undefined;
  const isList = kind === "AEXPR_OP_ANY";
  if (isList !== (route === "some accounts")) return undefined;
  return parameterOf(rexpr);
}

/** The parameter that all inserted rows have as their account. */
function insertedAccount({ cols = [], selectStmt }: Node): number | undefined {
  const place = cols.findIndex(({ ResTarget }: Node) => ResTarget.name === ACCOUNT);
  const { targetList, valuesLists } = selectStmt?.SelectStmt ?? {};
  const values: (Node | undefined)[] = valuesLists
    ? valuesLists.map(({ List }: Node) => List.items[place])
    : [targetList?.[place]?.ResTarget.val];
  const [first, ...others] = values.map(parameterOf);
  return others.every((each) => each === first) ? first : undefined;
}

/** Whether a read of all accounts is bounded, locks nothing, and joins by account only. */
function readFaults(node: Node, levels: readonly Level[]): string[] {
  const faults: string[] = [];
  if (levels.some(({ kind }) => WRITES.has(kind))) return ["a write of all accounts"];
  if (levels.some(({ query }) => query["lockingClause"])) faults.push("a lock of all accounts");
  for (const { conditions, isInner, tables } of levels) {
    const links = conditions.filter(({ node: each }) => each["using"] || isLink(each)).length;
    if (links < tables.length - (isInner ? 0 : 1)) faults.push("tables that no account joins");
  }
  const [, { groupClause = [], targetList }] = queryOf(node);
  const isSum =
    has(targetList, "FuncCall", isAggregate) &&
    groupClause.every((each: Node) => columnOf(each)?.name === "status");
  if (!isSum && !levels.some(({ isInner, query }) => !isInner && query["limitCount"]))
    faults.push("a read without a bound");
  if (has(node, "TypeCast", isCastOfAggregate)) faults.push("a time cast of an aggregate");
  return faults;
}

const isCastOfAggregate = (cast: Node): boolean =>
  typeOf(cast) === "timestamptz" && isAggregate(cast["arg"].FuncCall ?? {});

const isAggregate = (call: Node): boolean => /^(count|min|max|sum)$/.test(functionOf(call).name);

const isLink = (condition: Node): boolean => {
  const { lexpr, name, rexpr } = condition["A_Expr"] ?? {};
  return (
    namesOf(name)[0] === "=" && [lexpr, rexpr].every((side) => columnOf(side)?.name === ACCOUNT)
  );
};
