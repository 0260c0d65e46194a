// Finds webhooks that have due deliveries, among the next webhooks, after a given one, whose queue is open: a
// bounded read over all accounts, which locks nothing. claim-deliveries.ts claims what it finds. The clean-up
// closes empty queues, and a closed queue costs nothing here.
//
// Each webhook takes one probe of the index of the queues, whose first entry is due first.

import { statement } from "@annals/postgres";

type Params = [now: string, afterAccountId: string, afterWebhookId: string, maxWebhooks: number];

export interface QueuedWebhookRow {
  readonly account_id: string;
  readonly webhook_id: string;
  /** Time since which its first delivery that is not leased is due; null if no such delivery is due. */
  readonly due_at: string | null;
}

export const findDueWebhooks = statement<Params, QueuedWebhookRow>(
  `/* webhooks.find-due-webhooks */
SELECT webhook.account_id, webhook.id AS webhook_id, (
  SELECT min(delivery.due_at)
  FROM webhooks.deliveries AS delivery
  WHERE delivery.account_id = webhook.account_id AND delivery.webhook_id = webhook.id
    AND delivery.due_at <= greatest(statement_timestamp(), $1::timestamptz)
    AND (delivery.leased_until IS NULL OR delivery.leased_until <= greatest(statement_timestamp(), $1::timestamptz))
  ) AS due_at
FROM webhooks.webhooks AS webhook
WHERE active AND deleted_at IS NULL AND NOT is_drained AND (account_id, id) > ($2::text, $3::text)
ORDER BY account_id, id
LIMIT $4::integer
`,
  { route: "all accounts, read" },
);
