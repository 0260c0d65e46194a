// Marks some of the keys that have expired as revoked at that time, so that they are kept and deleted as
// other revoked keys are. A key is refused from its expiry on, whether or not it is marked.

import { statement } from "@annals/postgres";

type Params = [expiredBefore: string, limit: number];

export const revokeExpiredKeys = statement<Params, { readonly id: string }>(
  `/* keys.revoke-expired-keys */
WITH expired AS (
  SELECT account_id, id FROM keys.api_keys
  WHERE revoked_at IS NULL AND expires_at < $1::text AND expires_at::timestamptz < clock_timestamp()
  ORDER BY expires_at
  LIMIT $2::integer
  FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE keys.api_keys SET revoked_at = expires_at
FROM expired
WHERE api_keys.account_id = expired.account_id AND api_keys.id = expired.id
RETURNING api_keys.id
`,
  { route: "local" },
);
