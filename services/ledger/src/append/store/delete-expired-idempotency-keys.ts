// Deletes the oldest idempotency keys of some accounts that are older than the given hours, at most the
// given number. It waits for no append: a key that an append holds is left to a later sweep. Returns a row
// for each.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[], limit: number, hours: number];

export const deleteExpiredIdempotencyKeys = statement<Params, { readonly account_id: string }>(
  `/* ledger.delete-expired-idempotency-keys */
WITH expired AS MATERIALIZED (
  SELECT account_id, idempotency_key
  FROM ledger.idempotency_keys
  WHERE account_id = ANY ($1::text[]) AND created_at <= statement_timestamp() - $3::integer * interval '1 hour'
  ORDER BY created_at
  LIMIT $2::integer
  FOR UPDATE SKIP LOCKED
)
DELETE FROM ledger.idempotency_keys AS known
USING expired
WHERE known.account_id = ANY ($1::text[])
  AND known.account_id = expired.account_id AND known.idempotency_key = expired.idempotency_key
RETURNING known.account_id
`,
  { route: "some accounts", customPlan: true },
);
