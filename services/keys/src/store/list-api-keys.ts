// The live keys of an account, newest first.

import { statement } from "@annals/postgres";
import type { ApiKeyRow } from "./api-key-row.ts";

export const listApiKeys = statement<[accountId: string], ApiKeyRow>(`/* keys.list-api-keys */
SELECT id, name, key_prefix, scopes, created_at
FROM keys.api_keys
WHERE account_id = $1::text AND revoked_at IS NULL
ORDER BY created_at DESC, id DESC
`);
