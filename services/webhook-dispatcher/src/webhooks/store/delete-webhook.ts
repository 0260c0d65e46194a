// Deletes a webhook permanently: its secrets and filters are erased at once; the clean-up deletes its
// deliveries, then its row. No row: the account has no such webhook.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, deletedAt: string, deletedBy: string | null];

export const deleteWebhook = statement<Params, { readonly id: string }>(
  `/* webhooks.delete-webhook */
UPDATE webhooks.webhooks
SET deleted_at = $3::text, deleted_by = $4::text, active = false, secret_key_id = NULL, secret_sealed = NULL,
  previous_secret_key_id = NULL, previous_secret_sealed = NULL, previous_secret_until = NULL,
  filter = NULL, earlier_filters = NULL
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
RETURNING id
`,
  { route: "one account" },
);
