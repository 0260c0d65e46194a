// One account with the number of its live keys. No row: no such account.

import { statement } from "@annals/postgres";
import type { AccountRow } from "../../store/account-row.ts";
import { LIVE_KEY } from "../../store/live-keys.ts";

export const getAccount = statement<[accountId: string], AccountRow>(
  `/* keys.get-account */
SELECT account_id, name, created_at, plan,
  (SELECT count(*) FROM keys.api_keys WHERE api_keys.account_id = $1::text AND ${LIVE_KEY}) AS live_keys
FROM keys.accounts
WHERE account_id = $1::text
`,
  { route: "local" },
);
