// The next accounts after the one given, by id, whose name has a text in either case, or whose id it is; each
// with the number of its live keys. It reads the accounts in order until the page is full: an operator asks.

import { statement } from "@annals/postgres";
import type { AccountRow } from "./account-row.ts";
import { LIVE_KEY } from "./live-keys.ts";

type Params = [afterAccountId: string, limit: number, text: string];

export const searchAccounts = statement<Params, AccountRow>(
  `/* keys.search-accounts */
SELECT account_id, accounts.name, accounts.created_at, accounts.plan,
  (SELECT count(*) FROM keys.api_keys
    WHERE api_keys.account_id = accounts.account_id AND ${LIVE_KEY}) AS live_keys
FROM keys.accounts
WHERE account_id > $1::text AND (account_id = $3::text OR strpos(lower(accounts.name), lower($3::text)) > 0)
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "local" },
);
