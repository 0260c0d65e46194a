// What a statement that writes may call. A distributed PostgreSQL evaluates functions once, before it sends
// the statement on, and refuses those that it cannot evaluate then. Called by route-rules.ts.

import type { Tables } from "./schema-rules.ts";
import { columnOf, functionOf, has, namesOf, queryOf, typeOf, walk, WRITES } from "./sql-tree.ts";
import type { Node } from "../../deploy/generate/sources.ts";

const VOLATILE = new Set(
  "clock_timestamp timeofday random nextval setval currval gen_random_uuid uuidv4 uuidv7".split(
    " ",
  ),
);
/** Only those that the services might call. */
const STABLE = new Set(
  `now statement_timestamp transaction_timestamp to_char date_part extract date_trunc age concat concat_ws
   pg_current_xact_id format to_json to_jsonb json_build_object jsonb_build_object array_to_json array_to_string`.split(
    /\s+/,
  ),
);

type Types = ReadonlyMap<string, string>;

export function writeFaults(node: Node, tables: Tables): string[] {
  const faults: string[] = [];
  const [kind, query] = queryOf(node);
  if (!WRITES.has(kind) && !has(node, "lockingClause") && !query["lockingClause"]) return faults;
  if (has(node, "FuncCall", (call) => VOLATILE.has(functionOf(call).name)))
    faults.push("a volatile function in a write");
  if (!WRITES.has(kind)) return faults;
  const { relname, schemaname } = query["relation"];
  const types = tables.get(`${schemaname}.${relname}`) ?? new Map<string, string>();
  const { onConflictClause, returningClause } = query;
  const changed =
    kind === "InsertStmt" ? [onConflictClause] : [query["targetList"], query["whereClause"]];
  if (has([...changed, returningClause], "CaseExpr", (each) => hasStable(each, types)))
    faults.push("a stable function in CASE");
  if (has([...changed, returningClause], "CoalesceExpr", (each) => hasStable(each, types)))
    faults.push("a stable function in COALESCE");
  if (hasStable(returningClause, types)) faults.push("a stable function in RETURNING");
  const clocks = movedClocks(query, types);
  const isClock = ({ fields }: Node) => clocks.has(namesOf(fields).join("."));
  const usesClock = (value: unknown) => has(value, "ColumnRef", isClock);
  if (has(changed, "CaseExpr", usesClock) || has(changed, "CoalesceExpr", usesClock))
    faults.push("a clock that PostgreSQL moves into CASE");
  if (usesClock(returningClause)) faults.push("a clock that PostgreSQL moves into RETURNING");
  if (has(returningClause, "FuncCall", (call) => functionOf(call).name === "unnest"))
    faults.push("unnest in RETURNING");
  if (hasStable(onConflictClause, types)) faults.push("a stable function in ON CONFLICT");
  if (isOnColumn([changed], types)) faults.push("a stable function on a column");
  return faults;
}

/**
 * What subqueries compute by a stable function. PostgreSQL moves it to where it is used, unless by OFFSET.
 */
function movedClocks({ fromClause, usingClause }: Node, types: Types): Set<string> {
  const clocks = new Set<string>();
  walk([fromClause, usingClause], (kind, { alias, subquery }) => {
    const { limitOffset, targetList = [] } = subquery?.SelectStmt ?? {};
    if (kind !== "RangeSubselect" || limitOffset) return;
    for (const { ResTarget } of targetList)
      if (hasStable(ResTarget.val, types)) clocks.add(`${alias?.aliasname}.${ResTarget.name}`);
  });
  return clocks;
}

/** Calls `test` with each stable function, operator or cast, until one is as it wants. */
function someStable(value: unknown, types: Types, test: (of: Node) => boolean): boolean {
  let found = false;
  walk(value, (kind, node) => {
    const isStable =
      kind === "SQLValueFunction" ||
      (kind === "FuncCall" && STABLE.has(functionOf(node).name) && !isOfInterval(node)) ||
      (kind === "A_Expr" && isTimePlusInterval(node, types)) ||
      (kind === "TypeCast" && isCastOfTime(node, types));
    found ||= isStable && test(node);
    return found;
  });
  return found;
}

const hasStable = (value: unknown, types: Types): boolean => someStable(value, types, () => true);

const isOnColumn = (value: unknown, types: Types): boolean =>
  someStable(value, types, (node) => has(node, "ColumnRef"));

const isTime = (node: Node, types: Types): boolean =>
  types.get(columnOf(node)?.name ?? "") === "timestamptz";

/** `extract(epoch FROM time - time)` is of an interval, and immutable. */
const isOfInterval = (call: Node): boolean => {
  const of = call["args"]?.[1]?.A_Expr;
  return of !== undefined && namesOf(of.name)[0] === "-" && !has(of, "TypeCast", isInterval);
};

const isInterval = (cast: Node): boolean => typeOf(cast) === "interval";

/** A time in another time zone's days: PostgreSQL counts it as stable. */
function isTimePlusInterval({ lexpr, name, rexpr }: Node, types: Types): boolean {
  const [operator = ""] = namesOf(name);
  return (
    "+-".includes(operator) &&
    lexpr !== undefined &&
    isTime(lexpr, types) &&
    has([rexpr], "TypeCast", isInterval)
  );
}

const isCastOfTime = (cast: Node, types: Types): boolean =>
  (typeOf(cast) === "text" && isTime(cast["arg"], types)) ||
  (typeOf(cast) === "timestamptz" && types.get(columnOf(cast["arg"])?.name ?? "") === "text");
