// A statement: SQL text with a name, typed parameters and typed rows. Each lives in a file of its
// own in a service's store/ folder. The name is the leading comment of the text, `/*
// ledger.append-events */`, so that the log, the metric, pg_stat_statements and the file agree.

export interface Statement<Params extends readonly unknown[], Row> {
  readonly name: string;
  readonly text: string;
  /** Where true the statement is not prepared: PostgreSQL plans it for the very parameters of each call. */
  readonly plannedAnew: boolean;
  /** Never set: it carries the types of the parameters and of a row. */
  readonly types?: (params: Params) => Row;
}

/** What runs statements: a pool (each on its own) or a transaction (all on one connection). */
export interface Database {
  /**
   * Runs one statement and resolves to its rows. Rejects with `unavailable` when PostgreSQL cannot
   * be reached or has no room, else with pg's own DatabaseError.
   */
  run<Params extends readonly unknown[], Row>(
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row[]>;
}

const NAME = /^\s*\/\* ([a-z]+\.[a-z-]+) \*\//;

/** Declares a statement. Throws when the text does not begin with its name in a comment. */
export function statement<Params extends readonly unknown[], Row>(
  text: string,
  { plannedAnew = false }: { readonly plannedAnew?: boolean } = {},
): Statement<Params, Row> {
  const name = NAME.exec(text)?.[1];
  if (name === undefined)
    throw new TypeError(`a statement begins with /* schema.name */: ${text.slice(0, 60)}`);
  return { name, text, plannedAnew };
}
