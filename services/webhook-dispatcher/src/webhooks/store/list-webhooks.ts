// One page of the webhooks of an account, newest first. `createdAt` and `id` are those of the last webhook
// of the previous page, or null.

import { statement } from "@annals/postgres";
import type { ShownWebhookRow } from "../../store/webhook-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listWebhooks = statement<Params, ShownWebhookRow>(
  `/* webhooks.list-webhooks */
SELECT id, url, events, active, created_at, filter, disabled_reason,
  to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS disabled_at,
  drops.count AS dropped, first_sequence_number AS first_dropped, last_sequence_number AS last_dropped,
  to_char(last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_dropped_at
FROM webhooks.webhooks AS webhook
LEFT JOIN webhooks.drops ON drops.account_id = $1::text AND drops.webhook_id = webhook.id
WHERE webhook.account_id = $1::text AND deleted_at IS NULL
  AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "one account" },
);
