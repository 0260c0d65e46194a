// Revokes a live key permanently. The commit comes before the response: no admission after it finds the key,
// and its leases have ended (admissions/leases.ts). No row: the account has no such key.

import { statement } from "@annals/postgres";
import { LIVE_KEY } from "./live-keys.ts";

type Params = [accountId: string, id: string, revokedAt: string, revokedBy: string | null];

export const deleteApiKey = statement<Params, { readonly id: string }>(
  `/* keys.delete-api-key */
UPDATE keys.api_keys SET revoked_at = $3::text, revoked_by = $4::text
WHERE account_id = $1::text AND id = $2::text AND ${LIVE_KEY}
RETURNING id
`,
  { route: "local" },
);
