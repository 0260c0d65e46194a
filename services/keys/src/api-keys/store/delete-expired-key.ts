// Deletes a key that was revoked before a time. No row: another replica did it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, revokedBefore: string];

export const deleteExpiredKey = statement<Params, { readonly id: string }>(
  `/* keys.delete-expired-key */
DELETE FROM keys.api_keys
WHERE account_id = $1::text AND id = $2::text AND revoked_at < $3::text AND is_minted
RETURNING id
`,
  { route: "local" },
);
