// One webhook of an account. No row: the account has no such webhook.

import { statement } from "@annals/postgres";
import type { LockedWebhookRow, ShownWebhookRow } from "./webhook-row.ts";

type Params = [accountId: string, id: string];

export const findWebhook = statement<
  Params,
  ShownWebhookRow & { readonly previous_until: string | null }
>(
  `/* webhooks.find-webhook */
SELECT id, url, events, active, created_at, filter, disabled_reason,
  to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS disabled_at,
  drops.count AS dropped, first_sequence_number AS first_dropped, last_sequence_number AS last_dropped,
  to_char(last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_dropped_at,
  to_char(previous_secret_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS previous_until
FROM webhooks.webhooks AS webhook
LEFT JOIN webhooks.drops ON drops.account_id = $1::text AND drops.webhook_id = webhook.id
WHERE webhook.account_id = $1::text AND webhook.id = $2::text AND deleted_at IS NULL
`,
  { route: "one account" },
);

/**
 * Reads what clients set, and locks the webhook until the transaction ends. Fan-outs lock the row too: each
 * is either committed and visible to later statements, or sees the changes of this transaction.
 */
export const lockWebhook = statement<Params, LockedWebhookRow>(
  `/* webhooks.lock-webhook */
SELECT id, url, events, active, created_at, filter, filter_after, earlier_filters
FROM webhooks.webhooks
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
FOR UPDATE
`,
  { route: "one account" },
);

/** Locks the webhook, shared with fan-outs, until the transaction ends: disabling or closing it waits. */
export const shareWebhook = statement<
  Params,
  {
    readonly active: boolean;
    /** Whether its queue is closed: then no delivery may be stored. */
    readonly is_drained: boolean;
    readonly has_succeeded: boolean;
    /** JSON text; null: it receives all events. */
    readonly filter: string | null;
  }
>(
  `/* webhooks.share-webhook */
SELECT active, is_drained, first_success_at IS NOT NULL AS has_succeeded, filter
FROM webhooks.webhooks
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
FOR SHARE
`,
  { route: "one account" },
);
