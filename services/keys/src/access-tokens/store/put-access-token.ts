// Stores an access token of a person in the slot that was taken longest ago, or never. What had the slot is
// not valid from the commit on, and the window of the slot goes on counting. The person must be locked.

import { ACCESS_TOKEN_MINUTES, ACCESS_TOKEN_SLOTS } from "@annals/contract";
import { statement } from "@annals/postgres";

type Params = [accountId: string, personId: string, sessionId: string, secretSha256: Uint8Array];

interface PutRow {
  /** UTC with six fraction digits. */
  readonly expires_at: string;
}

export const putAccessToken = statement<Params, PutRow>(
  `/* keys.put-access-token */
INSERT INTO keys.access_tokens AS token (account_id, id, secret_sha256, session_id, person_id, slot, created_at, expires_at)
SELECT $1::text, free.id, $4::bytea, $3::text, $2::text, free.slot, clock_timestamp(),
  least(clock_timestamp() + interval '${ACCESS_TOKEN_MINUTES} minutes', session.expires_at)
FROM keys.sessions AS session, (
  SELECT number AS slot, $2::text || '/' || number AS id
  FROM generate_series(1, ${ACCESS_TOKEN_SLOTS}) AS number
  LEFT JOIN keys.access_tokens AS taken ON taken.account_id = $1::text AND taken.id = $2::text || '/' || number
  ORDER BY taken.created_at NULLS FIRST, number
  LIMIT 1
) AS free
WHERE session.id = $3::text
ON CONFLICT (account_id, id) DO UPDATE SET
  secret_sha256 = excluded.secret_sha256, session_id = excluded.session_id,
  created_at = excluded.created_at, expires_at = excluded.expires_at
RETURNING to_char(token.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at
`,
  { route: "local" },
);
