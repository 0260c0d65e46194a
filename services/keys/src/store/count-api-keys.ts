// The number of live keys of an account.

import { statement } from "@annals/postgres";

export const countApiKeys = statement<[accountId: string], { readonly live_keys: string }>(
  `/* keys.count-api-keys */
SELECT count(*) AS live_keys FROM keys.api_keys WHERE account_id = $1::text AND revoked_at IS NULL
`,
  { route: "local" },
);
