// Stores the hash of a verified token: it is admitted until it expires, and for ten minutes at most. The same
// token goes on in the window that it had. No row: the account has as many as it may. A workload that was
// deleted meanwhile fails the statement by its foreign key.

import { WORKLOAD_TOKEN_MINUTES } from "@annals/contract";
import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  secretSha256: Uint8Array,
  workloadId: string,
  issuer: string,
  subject: string,
  /** Seconds since 1970. */
  expiresAtS: number,
  max: number,
];

export const putWorkloadToken = statement<Params, { readonly id: string }>(
  `/* keys.put-workload-token */
INSERT INTO keys.access_tokens AS token (account_id, id, secret_sha256, workload_id, issuer, subject, created_at, expires_at)
SELECT $1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, clock_timestamp(),
  least(clock_timestamp() + interval '${WORKLOAD_TOKEN_MINUTES} minutes', to_timestamp($7::float8))
FROM (
  SELECT count(*) AS tokens FROM (
    SELECT 1 FROM keys.access_tokens AS live
    WHERE live.account_id = $1::text AND live.workload_id IS NOT NULL AND live.expires_at > clock_timestamp()
    LIMIT $8::integer
  ) AS live
) AS counted
WHERE counted.tokens < $8::integer
ON CONFLICT (account_id, id) DO UPDATE SET created_at = excluded.created_at, expires_at = excluded.expires_at
RETURNING id
`,
  { route: "local" },
);
