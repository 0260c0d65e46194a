// Whether the tables of a database are distributed over servers (distribute.ts), and work on several
// accounts. Called by what names several accounts in a statement: if tables are distributed, a server that
// is away would fail it for all.

import { type Database, statement } from "./statement.ts";

const findCatalog = statement<[], { readonly exists: boolean }>(
  `/* postgres.find-citus */
SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS exists
`,
  { route: "local" },
);
const findDistributed = statement<[], { readonly exists: boolean }>(
  `/* postgres.find-distributed */
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition WHERE partmethod = 'h') AS exists
`,
  { route: "local" },
);

const known = new WeakMap<Database, boolean>();

/** Asks the database once. Rejects as long as it cannot answer. */
export async function isDistributed(database: Database): Promise<boolean> {
  const answer = known.get(database);
  if (answer !== undefined) return answer;
  const [catalog] = await database.run(findCatalog, []);
  const [found] = catalog?.exists === true ? await database.run(findDistributed, []) : [];
  const is = found?.exists === true;
  known.set(database, is);
  return is;
}

interface Reads<Row> {
  /** One statement for all accounts. */
  readonly together: () => Promise<readonly Row[]>;
  readonly each: (accountId: string) => Promise<readonly Row[]>;
}

export interface AccountRows<Row> {
  readonly rows: readonly Row[];
  /** Accounts that could not be read. */
  readonly failed: ReadonlySet<string>;
  /** Set if the accounts could not be read together. */
  readonly error?: unknown;
}

/** Accounts that are read at once. If all of them fail, no server answers, and the others are not tried. */
const READ_AT_ONCE = 20;

/**
 * Reads about several accounts together. If that fails and tables are distributed, it reads one account apart
 * from the other. Rejects if no account can be read.
 */
export async function readAccounts<Row>(
  database: Database,
  accountIds: readonly string[],
  { each, together }: Reads<Row>,
): Promise<AccountRows<Row>> {
  try {
    return { rows: await together(), failed: new Set() };
  } catch (error) {
    if (accountIds.length === 0 || !(await isDistributed(database))) throw error;
    const rows: Row[] = [];
    const failed = new Set<string>();
    for (let at = 0; at < accountIds.length; at += READ_AT_ONCE) {
      const piece = accountIds.slice(at, at + READ_AT_ONCE);
      const results = await Promise.allSettled(piece.map(each));
      const isNone = results.every(({ status }) => status === "rejected");
      if (isNone && (at === 0 || piece.length === READ_AT_ONCE)) throw error;
      for (const [index, result] of results.entries()) {
        if (result.status === "fulfilled") rows.push(...result.value);
        else failed.add(piece[index] ?? "");
      }
    }
    return { rows, failed, error };
  }
}

/** Accounts that are worked on at once. The other connections of a pool are for requests. */
const WORK_AT_ONCE = 4;

/**
 * Works on each item, a few at once, with one statement for each account if tables are distributed. After
 * the first failure no further item is begun, and it rejects once those in progress have ended. Resolves to
 * the results in the order of the items.
 */
export async function workOnEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const entries = items.entries();
  const workOnNext = async (): Promise<void> => {
    for (const [at, item] of entries) {
      if (failures.length > 0) return;
      try {
        results[at] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: WORK_AT_ONCE }, workOnNext));
  if (failures.length > 0) throw failures[0];
  return results;
}
