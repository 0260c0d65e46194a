// Replaces the signing secret of a webhook. The one before stays beside it for a while; an earlier one goes.
// No row: the account has no such webhook.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  secretKeyId: string,
  secretSealed: Uint8Array,
  /** Seconds; 0: the secret before is erased at once. */
  graceS: number,
  now: string | null,
  /** The id of a key. */
  updatedBy: string | null,
];

export const rotateSecret = statement<
  Params,
  { readonly previous_until: string | null }
>(`/* webhooks.rotate-secret */
UPDATE webhooks.webhooks SET
  previous_secret_key_id = CASE WHEN $5::integer > 0 THEN secret_key_id END,
  previous_secret_sealed = CASE WHEN $5::integer > 0 THEN secret_sealed END,
  previous_secret_until = CASE WHEN $5::integer > 0
    THEN coalesce($6::timestamptz, clock_timestamp()) + $5::integer * interval '1 second' END,
  secret_key_id = $3::text,
  secret_sealed = $4::bytea,
  updated_by = $7::text
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
RETURNING to_char(previous_secret_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS previous_until
`);
