// One account with the number of its live keys. No row: no such account.

import { statement } from "@annals/postgres";
import type { AccountRow } from "./account-row.ts";

export const getAccount = statement<[accountId: string], AccountRow>(`/* keys.get-account */
SELECT account_id, accounts.name, accounts.created_at, accounts.plan,
  count(api_keys.id) FILTER (WHERE api_keys.revoked_at IS NULL) AS live_keys
FROM keys.accounts
LEFT JOIN keys.api_keys USING (account_id)
WHERE account_id = $1::text
GROUP BY account_id
`);
