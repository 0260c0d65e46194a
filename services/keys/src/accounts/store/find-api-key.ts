// The account of a live key, for an operator who knows the id of the key alone. It asks every shard of a
// distributed PostgreSQL, as admission does. No row: no such key.

import { statement } from "@annals/postgres";
import { LIVE_KEY } from "../../store/live-keys.ts";

export const findApiKey = statement<[id: string], { readonly account_id: string }>(
  `/* keys.find-api-key */
SELECT account_id FROM keys.api_keys WHERE id = $1::text AND ${LIVE_KEY}
`,
  { route: "local" },
);
