// Whether the tables of a database are distributed over servers (distribute.ts). Called by workers that name
// several accounts in a statement: where tables are distributed, a server that is away would fail it for all.

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
