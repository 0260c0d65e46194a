// One page of the live keys of an account, newest first. `createdAt` and `id` are those of the last key of
// the page before, or null.

import { statement } from "@annals/postgres";
import { API_KEY_COLUMNS, type ApiKeyRow } from "./api-key-row.ts";
import { LIVE_KEY } from "./live-keys.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listApiKeys = statement<Params, ApiKeyRow>(
  `/* keys.list-api-keys */
SELECT ${API_KEY_COLUMNS}
FROM keys.api_keys
WHERE account_id = $1::text AND ${LIVE_KEY}
  AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "local" },
);
