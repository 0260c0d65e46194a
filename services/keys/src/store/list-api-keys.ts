// One page of the live keys of an account, newest first. `createdAt` and `id` are those of the last key of
// the page before, or null.

import { statement } from "@annals/postgres";
import type { ApiKeyRow } from "./api-key-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listApiKeys = statement<Params, ApiKeyRow>(
  `/* keys.list-api-keys */
SELECT id, name, key_prefix, scopes, created_at
FROM keys.api_keys
WHERE account_id = $1::text AND revoked_at IS NULL
  AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "local" },
);
