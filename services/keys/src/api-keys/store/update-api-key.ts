// Changes a live key: its name and, if they are given, when it expires and where it may be used from. No
// row: the account has no such key.

import { statement } from "@annals/postgres";
import { API_KEY_COLUMNS, type ApiKeyRow } from "../../store/api-key-row.ts";
import { LIVE_KEY } from "../../store/live-keys.ts";

type Params = [
  accountId: string,
  id: string,
  name: string,
  updatedBy: string | null,
  changesExpiry: boolean,
  expiresAt: string | null,
  changesAllowedIps: boolean,
  allowedIps: readonly string[] | null,
];

export interface UpdatedRow extends ApiKeyRow {
  readonly name_before: string;
  readonly expires_before: string | null;
  readonly allowed_ips_before: readonly string[] | null;
}

export const updateApiKey = statement<Params, UpdatedRow>(
  `/* keys.update-api-key */
WITH before AS (
  SELECT name AS name_before, expires_at AS expires_before, allowed_ips::text[] AS allowed_ips_before
  FROM keys.api_keys
  WHERE account_id = $1::text AND id = $2::text AND ${LIVE_KEY}
  FOR NO KEY UPDATE
)
UPDATE keys.api_keys SET name = $3::text, updated_by = $4::text,
  expires_at = CASE WHEN $5::boolean THEN $6::text ELSE expires_at END,
  allowed_ips = CASE WHEN $7::boolean THEN $8::text[]::cidr[] ELSE allowed_ips END
FROM before
WHERE account_id = $1::text AND id = $2::text AND ${LIVE_KEY}
RETURNING ${API_KEY_COLUMNS}, name_before, expires_before, allowed_ips_before
`,
  { route: "local" },
);
