// The attempted deliveries of a webhook below a number, newest first.

import { statement } from "@annals/postgres";

type Params = [accountId: string, webhookId: string, below: bigint, limit: number];

export interface DeliveryRow {
  readonly number: string;
  readonly id: string;
  readonly event: string;
  readonly succeeded: boolean;
  readonly status_code: number | null;
  readonly failure: string | null;
  readonly attempts: number;
  readonly attempted_at: string;
  readonly next_attempt_at: string | null;
}

export const listDeliveries = statement<Params, DeliveryRow>(
  `/* webhooks.list-deliveries */
SELECT delivery.number, delivery.id, event, succeeded, status_code, failure, attempts,
  to_char(attempted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS attempted_at,
  CASE WHEN webhook.active AND delivery.number > webhook.stopped_up_to
    THEN to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END AS next_attempt_at
FROM webhooks.deliveries AS delivery
JOIN webhooks.webhooks AS webhook ON webhook.account_id = $1::text AND webhook.id = delivery.webhook_id
WHERE delivery.account_id = $1::text AND delivery.webhook_id = $2::text AND delivery.number < $3::bigint
  AND delivery.attempts > 0
ORDER BY delivery.number DESC
LIMIT $4::integer
`,
  { route: "one account" },
);
