// The view of a caller on a distributed PostgreSQL of which a server is away: what names one of the lost
// accounts fails, and so does what reads all accounts. Tests put it around the real database of one server,
// where no statement fails alone.

interface Named {
  readonly name: string;
  readonly route: string;
}

/** Names of the statements that ask whether tables are distributed (libs/postgres). */
const ASKS = new Set(["postgres.find-citus", "postgres.find-distributed"]);

/** `run` of a database, as long as `lost` has an account: it may be changed meanwhile. */
export function lostServer<Run extends (statement: never, params: never) => Promise<unknown[]>>(
  run: Run,
  lost: ReadonlySet<string>,
): Run {
  const isLost = (route: string, [first]: readonly unknown[]): boolean => {
    if (lost.size === 0) return false;
    if (route === "all accounts, read") return true;
    if (route === "some accounts") return Array.isArray(first) && first.some((id) => lost.has(id));
    return route === "one account" && lost.has(String(first));
  };
  const runUnlessLost = async (statement: Named, params: readonly unknown[]) => {
    if (ASKS.has(statement.name)) return [{ exists: true }];
    if (isLost(statement.route, params)) throw new Error("a server is away");
    return run(statement as never, params as never);
  };
  return runUnlessLost as unknown as Run;
}
