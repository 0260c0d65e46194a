// The next accounts after the one given, by id, each with the number of its live keys. By the primary key, so
// that a page costs the same with any number of accounts.

import { statement } from "@annals/postgres";
import type { AccountRow } from "./account-row.ts";

type Params = [afterAccountId: string, limit: number];

export const listAccounts = statement<Params, AccountRow>(`/* keys.list-accounts */
SELECT account_id, accounts.name, accounts.created_at, accounts.plan,
  count(api_keys.id) FILTER (WHERE api_keys.revoked_at IS NULL) AS live_keys
FROM keys.accounts
LEFT JOIN keys.api_keys USING (account_id)
WHERE account_id > $1::text
GROUP BY account_id
ORDER BY account_id
LIMIT $2::integer
`);
