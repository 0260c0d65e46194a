// The number of live keys of an account.

import { statement } from "@annals/postgres";
import { LIVE_KEY } from "../../store/live-keys.ts";

export const countApiKeys = statement<[accountId: string], { readonly live_keys: string }>(
  `/* keys.count-api-keys */
SELECT count(*) AS live_keys FROM keys.api_keys WHERE account_id = $1::text AND ${LIVE_KEY}
`,
  { route: "local" },
);
