// A ledger is ready only if the log that is there has the origin that ANNALS_LOG_ORIGIN names: the name of a
// log never changes. Used by serve.ts.

import type { Database } from "@annals/postgres";
import { getLogOf } from "./store/logs.ts";

const FIRST_LOG = 1;

/** For a readiness check: it resolves to the reason why the ledger is not ready. */
export function originCheck(
  database: Database,
  origin: string | undefined,
): () => Promise<string | undefined> {
  return async () => {
    if (origin === undefined) return undefined;
    const [log] = await database.run(getLogOf, [FIRST_LOG]);
    if (log === undefined || log.origin === origin) return undefined;
    return `ANNALS_LOG_ORIGIN is ${origin}, and the log has the origin ${log.origin}: a log keeps its origin`;
  };
}
