// The accounts of the oldest idempotency keys that are older than the given hours, of at most the given
// number of keys.

import { statement } from "@annals/postgres";

export const listExpiredIdempotencyKeys = statement<
  [limit: number, hours: number],
  { readonly account_id: string }
>(
  `/* ledger.list-expired-idempotency-keys */
SELECT DISTINCT account_id
FROM (
  SELECT account_id FROM ledger.idempotency_keys
  WHERE created_at <= statement_timestamp() - $2::integer * interval '1 hour'
  ORDER BY created_at
  LIMIT $1::integer
) AS oldest
`,
  { route: "all accounts, read" },
);
