// What the other nouns of the service call of sinks: the usage of an account, the work on an erasure, the
// rotation of sealing keys. Nothing else outside of this folder imports its store.

import type { Database } from "@annals/postgres";
import { countSinks as countSinksStatement } from "./store/count-sinks.ts";
import { hasSinks as hasSinksStatement } from "./store/has-sinks.ts";

export { clearSinkFilters } from "./worker/erased-sink-filters.ts";
export { listUnknownSinkKeyIds } from "./store/reseal-sinks.ts";
export { resealSinks } from "./worker/reseal-sinks.ts";

/** The sinks that an account has created: those of the operator do not count. */
export async function countSinks(database: Database, accountId: string): Promise<number> {
  const [row] = await database.run(countSinksStatement, [accountId]);
  return row?.count ?? 0;
}

/** Whether anything is sent of an account, also by sinks of the operator. */
export async function hasSinks(database: Database, accountId: string): Promise<boolean> {
  return (await database.run(hasSinksStatement, [accountId])).length > 0;
}
