// Finds webhooks that have deliveries due, among the next ones after a given one whose queue is open: a
// bounded read over all accounts, which locks nothing. What it finds is claimed by claim-deliveries.ts. The
// clean-up closes queues that are empty, and a closed one costs nothing here.
//
// Each webhook takes one probe of the index of the queues, whose first entry is the first due.

import { statement } from "@annals/postgres";

type Params = [now: string, afterAccountId: string, afterWebhookId: string, maxWebhooks: number];

export interface QueuedWebhookRow {
  readonly account_id: string;
  readonly webhook_id: string;
  /** Of its first delivery that is due and not leased; null if there is none. */
  readonly due_at: string | null;
}

export const findDueWebhooks = statement<Params, QueuedWebhookRow>(`/* webhooks.find-due-webhooks */
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
`);
