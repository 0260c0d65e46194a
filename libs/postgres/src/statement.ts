// A statement: SQL text with a name, typed parameters and typed rows. Each lives in a file of its
// own in a service's store/ folder. The name is the leading comment of the text, `/*
// ledger.append-events */`, so that the log, the metric, pg_stat_statements and the file agree.

/**
 * The accounts that a statement is of, by which a distributed PostgreSQL chooses the servers that run it
 * (docs/adr/0046-accounts-are-sharded-by-citus.md):
 * - `one account`: every table is compared with one account, so one server runs it.
 * - `some accounts`: every table is compared with a list of accounts.
 * - `all accounts, read`: a bounded read of every server, which writes and locks nothing.
 * - `local`: it reads no table that is distributed.
 *
 * A test compares it with the text (test/tidy/statements.test.ts).
 */
export type Route = "one account" | "some accounts" | "all accounts, read" | "local";

export interface Statement<Params extends readonly unknown[], Row> {
  readonly name: string;
  readonly text: string;
  readonly route: Route;
  /**
   * If true, PostgreSQL makes a custom plan for the parameters of each call: the statement is not
   * prepared.
   */
  readonly customPlan: boolean;
  /** Never set: it holds the types of the parameters and of a row. */
  readonly types?: (params: Params) => Row;
}

/** What runs statements: a pool (each on its own) or a transaction (all on one connection). */
export interface Database {
  /**
   * Runs one statement and resolves to its rows. Rejects with `unavailable` when PostgreSQL cannot
   * be reached or has no capacity, else with pg's own DatabaseError.
   */
  run<Params extends readonly unknown[], Row>(
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row[]>;
  /** Calls `work` once the transaction is committed. Without a transaction it is absent. */
  readonly afterCommit?: (work: () => void) => void;
}

const SCALAR_BYTES = 16;

/** About how much memory the parameters of a statement take while it waits. */
export function parameterBytes(params: unknown): number {
  if (typeof params === "string") return SCALAR_BYTES + 2 * params.length;
  if (ArrayBuffer.isView(params)) return params.byteLength;
  if (!Array.isArray(params)) return SCALAR_BYTES;
  return params.reduce((sum: number, one) => sum + parameterBytes(one), SCALAR_BYTES);
}

const NAME = /^\s*\/\* ([a-z]+\.[a-z-]+) \*\//;

/** Declares a statement. Throws when the text does not begin with its name in a comment. */
export function statement<Params extends readonly unknown[], Row>(
  text: string,
  { customPlan = false, route }: { readonly route: Route; readonly customPlan?: boolean },
): Statement<Params, Row> {
  const name = NAME.exec(text)?.[1];
  if (name === undefined)
    throw new TypeError(`a statement begins with /* schema.name */: ${text.slice(0, 60)}`);
  return { name, text, route, customPlan };
}
