// The webhooks of an account, newest first.

import { statement } from "@annals/postgres";
import type { WebhookRow } from "./webhook-row.ts";

export const listWebhooks = statement<[accountId: string], WebhookRow>(`/* webhooks.list-webhooks */
SELECT id, url, events, active, created_at
FROM webhooks.webhooks
WHERE account_id = $1::text AND deleted_at IS NULL
ORDER BY created_at DESC, id DESC
`);
