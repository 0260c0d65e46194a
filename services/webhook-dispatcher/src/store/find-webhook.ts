// One webhook of an account. No row: the account has no such webhook.

import { statement } from "@annals/postgres";
import type { WebhookRow } from "./webhook-row.ts";

type Params = [accountId: string, id: string];

export const findWebhook = statement<Params, WebhookRow>(`/* webhooks.find-webhook */
SELECT id, url, events, active, created_at
FROM webhooks.webhooks
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
`);

/**
 * The same, locked until the transaction ends. Fan-outs lock the row too: each is either committed and
 * visible to later statements, or sees the changes of this transaction.
 */
export const lockWebhook = statement<Params, WebhookRow>(`/* webhooks.lock-webhook */
SELECT id, url, events, active, created_at
FROM webhooks.webhooks
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
FOR UPDATE
`);
