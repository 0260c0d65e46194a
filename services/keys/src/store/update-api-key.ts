// Renames a live key. No row: the account has no such key.

import { statement } from "@annals/postgres";
import type { ApiKeyRow } from "./api-key-row.ts";

type Params = [accountId: string, id: string, name: string];

export const updateApiKey = statement<Params, ApiKeyRow>(`/* keys.update-api-key */
UPDATE keys.api_keys SET name = $3::text
WHERE account_id = $1::text AND id = $2::text AND revoked_at IS NULL
RETURNING id, name, key_prefix, scopes, created_at
`);
