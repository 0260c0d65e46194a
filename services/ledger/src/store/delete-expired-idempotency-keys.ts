// Deletes idempotency keys that are older than 24 hours, at most the given number.

import { statement } from "@annals/postgres";

export const deleteExpiredIdempotencyKeys = statement<
  [limit: number],
  { readonly deleted: string }
>(
  `/* ledger.delete-expired-idempotency-keys */
WITH expired AS (
  SELECT account_id, idempotency_key
  FROM ledger.idempotency_keys
  WHERE created_at <= now() - interval '24 hours'
  ORDER BY created_at
  LIMIT $1::integer
  FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM ledger.idempotency_keys USING expired
  WHERE idempotency_keys.account_id = expired.account_id
    AND idempotency_keys.idempotency_key = expired.idempotency_key
  RETURNING 1
)
SELECT count(*) AS deleted FROM deleted
`,
  { route: "all accounts, read" },
);
