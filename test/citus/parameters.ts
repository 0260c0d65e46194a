// The runs of a statement: its cases for accounts of each worker, for one without rows, with each boolean
// both ways, and with a null for each parameter that may be null. Called by statements.test.ts. What may be
// null is what the type of the statement in TypeScript says.

import type { Found } from "../system/all-statements.ts";
import { has, parseSql, queryOf, WRITES } from "../tidy/sql-tree.ts";
import type { Case, Params, Subject } from "./cases/case.ts";
import type { Nullable } from "./nullable.ts";

export interface Run {
  readonly params: Params;
  /** A statement that both databases run before. */
  readonly before?: string;
  /** Whether the statement is run in a transaction. */
  readonly isInTransaction?: boolean;
  /** Server of its account, and the number of shards that have its accounts. */
  readonly worker: number;
  readonly shards: number;
}

export interface Subjects {
  /** An account of each worker. */
  readonly main: readonly Subject[];
  /** More accounts, and accounts without rows. */
  readonly others: readonly Subject[];
  /** Each list has accounts of both workers. */
  readonly several: readonly Subject[];
}

/** Whether it calls a function of a service. */
const callsFunction = ({ text }: Pick<Found, "text">): boolean => /SELECT ledger\.\w+\(/.test(text);

/** What a statement does to rows, itself or in a function of a service. */
export function kindOf({ text }: Pick<Found, "text">): "read" | "lock" | "write" {
  const nodes = parseSql(text);
  const writes = [...WRITES].some((kind) => has(nodes, kind));
  if (writes || callsFunction({ text })) return "write";
  return has(nodes, "LockingClause") ? "lock" : "read";
}

/** Whether the order of its rows is the statement's. */
export function isOrdered({ text }: Pick<Found, "text">): boolean {
  const [node = {}] = parseSql(text);
  return queryOf(node)[1]["sortClause"] !== undefined;
}

/** Numbers of the parameters that are cast to a type, from 1. */
export function castTo({ text }: Pick<Found, "text">, type: string): number[] {
  const numbers = [...text.matchAll(/\$(\d+)::([a-z0-9]+(?:\[\])?)/g)].flatMap(([, number, cast]) =>
    cast === type ? [Number(number)] : [],
  );
  return [...new Set(numbers)];
}

export function runsOf(
  statement: Found,
  cases: readonly Case[],
  { nullable, subjects }: { readonly nullable: Nullable; readonly subjects: Subjects },
): Run[] {
  const isOne = statement.route !== "some accounts" || kindOf(statement) !== "read";
  const varied = isOne ? subjects.main : [...subjects.main, ...subjects.several];
  const runs = cases.flatMap((each): Run[] => {
    if (typeof each !== "function")
      return subjects.main.map((subject) => ({
        ...placeOf(subject),
        params: each.params(subject),
        before: each.before(subject),
      }));
    const ofVaried = varied.flatMap((subject) =>
      variantsOf(each(subject), statement, nullable).map((params) => ({
        ...placeOf(subject),
        params,
      })),
    );
    const ofOthers = subjects.others.map((subject) => ({
      ...placeOf(subject),
      params: each(subject),
    }));
    return [...ofVaried, ...ofOthers];
  });
  // In a transaction the coordinator runs a function itself, statement by statement.
  const inTransaction = runs.map((run) => ({ ...run, isInTransaction: true }));
  return callsFunction(statement) ? [...runs, ...inTransaction] : runs;
}

const placeOf = ({ shards, worker }: Subject) => ({ shards, worker });

/** The parameters, and those in which a boolean or a null is other. */
function variantsOf(params: Params, statement: Found, nullable: Nullable): Params[] {
  const withNulls = [params, ...withoutSome(params, [...nullable.parameters])];
  return castTo(statement, "boolean").reduce(
    (all, number) =>
      all.flatMap((each) => [each.with(number - 1, true), each.with(number - 1, false)]),
    withNulls,
  );
}

/** With null for each of these parameters, and for all of them. */
function withoutSome(params: Params, numbers: readonly number[]): Params[] {
  const each = numbers.map((number) => params.with(number - 1, null));
  if (numbers.length < 2) return each;
  return [...each, params.map((value, index) => (numbers.includes(index + 1) ? null : value))];
}
