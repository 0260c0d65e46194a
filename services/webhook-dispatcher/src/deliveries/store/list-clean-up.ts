// Lists the work of the clean-up for all accounts, by account and webhook after the given ones, in bounded
// reads that lock nothing.

import { statement } from "@annals/postgres";

type After = [afterAccountId: string, afterId: string, limit: number];

export interface WebhookKey {
  readonly account_id: string;
  readonly id: string;
}

/** Lists deleted webhooks. */
export const listDeleted = statement<After, WebhookKey>(
  `/* webhooks.list-deleted */
SELECT account_id, id
FROM webhooks.webhooks
WHERE deleted_at IS NOT NULL AND (account_id, id) > ($1::text, $2::text)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

/** Lists webhooks with stopped deliveries that are pending. */
export const listStopped = statement<After, WebhookKey & { readonly stopped_up_to: string }>(
  `/* webhooks.list-stopped */
SELECT account_id, id, stopped_up_to
FROM webhooks.webhooks AS webhook
WHERE stopped_up_to > 0 AND deleted_at IS NULL AND (account_id, id) > ($1::text, $2::text) AND EXISTS (
  SELECT 1 FROM webhooks.deliveries AS delivery
  WHERE delivery.account_id = webhook.account_id AND delivery.webhook_id = webhook.id
    AND delivery.due_at IS NOT NULL AND delivery.number <= webhook.stopped_up_to)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

/**
 * Lists webhooks whose oldest attempted delivery is finished and older than the retention. A later delivery
 * may have finished before it: that one is kept longer, by the time that the retries of the oldest took.
 */
export const listExpired = statement<[...After, now: string, retentionDays: number], WebhookKey>(
  `/* webhooks.list-expired */
SELECT account_id, id
FROM webhooks.webhooks AS webhook
WHERE (account_id, id) > ($1::text, $2::text) AND EXISTS (
  SELECT 1 FROM webhooks.deliveries AS oldest
  WHERE oldest.account_id = webhook.account_id AND oldest.webhook_id = webhook.id AND oldest.attempts > 0
    AND oldest.number = (
      SELECT min(number) FROM webhooks.deliveries AS delivery
      WHERE delivery.account_id = webhook.account_id AND delivery.webhook_id = webhook.id AND delivery.attempts > 0)
    AND oldest.due_at IS NULL
    AND oldest.attempted_at < greatest(statement_timestamp(), $4::timestamptz) - $5::integer * interval '1 day')
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

/** Lists active webhooks whose queue is open and empty. */
export const listEmptyQueues = statement<After, WebhookKey>(
  `/* webhooks.list-empty-queues */
SELECT account_id, id
FROM webhooks.webhooks AS webhook
WHERE active AND deleted_at IS NULL AND NOT is_drained AND (account_id, id) > ($1::text, $2::text) AND NOT EXISTS (
  SELECT 1 FROM webhooks.deliveries AS delivery
  WHERE delivery.account_id = webhook.account_id AND delivery.webhook_id = webhook.id AND delivery.due_at IS NOT NULL)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

/** Lists webhooks with a previous secret whose grace period is over. */
export const listExpiredSecrets = statement<[...After, now: string], WebhookKey>(
  `/* webhooks.list-expired-secrets */
SELECT account_id, id
FROM webhooks.webhooks
WHERE previous_secret_until <= greatest(statement_timestamp(), $4::timestamptz)
  AND (account_id, id) > ($1::text, $2::text)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);
