// The filters of the sinks of an account, and their change when a value that they name is erased. Called by
// worker/erased-sink-filters.ts.

import { statement } from "@annals/postgres";

/** Lists those after an id. */
export const listSinkFilters = statement<
  [accountId: string, afterId: string, limit: number],
  { readonly id: string; readonly filter: string | null }
>(
  `/* webhooks.list-sink-filters */
SELECT id, filter FROM webhooks.sinks
WHERE account_id = $1::text AND id > $2::text AND filter IS NOT NULL
ORDER BY id
LIMIT $3::integer
`,
  { route: "one account" },
);

/** Replaces the filter of a sink that the transaction has locked, and pauses it if that is asked for. */
export const replaceSinkFilter = statement<
  [accountId: string, id: string, filter: string | null, isPaused: boolean],
  never
>(
  `/* webhooks.replace-sink-filter */
UPDATE webhooks.sinks SET filter = $3::text, active = active AND NOT $4::boolean
WHERE account_id = $1::text AND id = $2::text
`,
  { route: "one account" },
);
