// Replaces the signing secret of a webhook. The previous secret is kept for a while, and any earlier one is
// erased. No row: the account has no such webhook.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  secretKeyId: string,
  secretSealed: Uint8Array,
  /** Seconds that the previous secret is kept; 0: it is erased at once. */
  graceS: number,
  now: string,
  /** The id of the key that rotated it. */
  updatedBy: string | null,
];

export const rotateSecret = statement<Params, { readonly id: string }>(
  `/* webhooks.rotate-secret */
UPDATE webhooks.webhooks AS webhook SET
  previous_secret_key_id = CASE WHEN $5::integer > 0 THEN secret_key_id END,
  previous_secret_sealed = CASE WHEN $5::integer > 0 THEN secret_sealed END,
  previous_secret_until = CASE WHEN $5::integer > 0 THEN grace.ends END,
  secret_key_id = $3::text,
  secret_sealed = $4::bytea,
  updated_by = $7::text
FROM (
  SELECT greatest(statement_timestamp(), $6::timestamptz) + $5::integer * interval '1 second' AS ends OFFSET 0) AS grace
WHERE webhook.account_id = $1::text AND webhook.id = $2::text AND deleted_at IS NULL
RETURNING webhook.id
`,
  { route: "one account" },
);
