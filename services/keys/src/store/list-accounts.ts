// The next accounts after the one given, by id, each with the number of its live keys. By the primary key, so
// that a page costs the same with any number of accounts.

import { statement } from "@annals/postgres";
import type { AccountRow } from "./account-row.ts";
import { LIVE_KEY } from "./live-keys.ts";

type Params = [afterAccountId: string, limit: number];

export const listAccounts = statement<Params, AccountRow>(
  `/* keys.list-accounts */
SELECT account_id, accounts.name, accounts.created_at, accounts.plan,
  (SELECT count(*) FROM keys.api_keys
    WHERE api_keys.account_id = accounts.account_id AND ${LIVE_KEY}) AS live_keys
FROM keys.accounts
WHERE account_id > $1::text
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "local" },
);
