// Renames a live key. No row: the account has no such key.

import { statement } from "@annals/postgres";
import type { ApiKeyRow } from "./api-key-row.ts";

type Params = [accountId: string, id: string, name: string, updatedBy: string | null];

interface UpdatedRow extends ApiKeyRow {
  readonly name_before: string;
}

export const updateApiKey = statement<Params, UpdatedRow>(
  `/* keys.update-api-key */
WITH before AS (
  SELECT name FROM keys.api_keys
  WHERE account_id = $1::text AND id = $2::text AND revoked_at IS NULL
  FOR NO KEY UPDATE
)
UPDATE keys.api_keys SET name = $3::text, updated_by = $4::text
FROM before
WHERE account_id = $1::text AND id = $2::text AND revoked_at IS NULL
RETURNING id, api_keys.name, key_prefix, scopes, created_at, before.name AS name_before
`,
  { route: "local" },
);
