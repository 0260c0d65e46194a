// All accounts, oldest first, with the number of their live keys.

import { statement } from "@annals/postgres";

export interface AccountRow {
  readonly account_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly live_keys: string;
  /** Null for the default. */
  readonly plan: string | null;
}

export const listAccounts = statement<[], AccountRow>(`/* keys.list-accounts */
SELECT account_id, accounts.name, accounts.created_at, accounts.plan,
  count(api_keys.id) FILTER (WHERE api_keys.revoked_at IS NULL) AS live_keys
FROM keys.accounts
LEFT JOIN keys.api_keys USING (account_id)
GROUP BY account_id
ORDER BY accounts.created_at, account_id
`);
