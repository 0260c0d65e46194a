// The filters of the webhooks of an account, and their change when a value that they name is erased. Called
// by erased-filters.ts.

import { statement } from "@annals/postgres";
import type { FilterColumns } from "../rules/filter-history.ts";

interface FilterRow extends FilterColumns {
  readonly id: string;
}

/** Lists those after an id. */
export const listFilters = statement<
  [accountId: string, afterId: string, limit: number],
  FilterRow
>(
  `/* webhooks.list-filters */
SELECT id, filter, filter_after, earlier_filters FROM webhooks.webhooks
WHERE account_id = $1::text AND id > $2::text AND deleted_at IS NULL
  AND (filter IS NOT NULL OR earlier_filters IS NOT NULL)
ORDER BY id
LIMIT $3::integer
`,
  { route: "one account" },
);

/** Replaces the filters of a webhook that the transaction has locked. */
export const replaceFilters = statement<
  [accountId: string, id: string, filter: string | null, earlierFilters: string | null],
  never
>(
  `/* webhooks.replace-filters */
UPDATE webhooks.webhooks SET filter = $3::text, earlier_filters = $4::text
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
`,
  { route: "one account" },
);
