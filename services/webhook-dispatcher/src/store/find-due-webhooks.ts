// Finds webhooks that have deliveries due, among the next active ones after a given one: a bounded read over
// all accounts, which locks nothing. What it finds is claimed by claim-deliveries.ts.
//
// Each webhook takes one probe of the index of the queues, whose first entry is the first due. The bounds and
// the order name the columns of that index, so that no plan reads the history, whatever statistics
// PostgreSQL has of a table that grew a moment ago.

import { statement } from "@annals/postgres";

type Params = [
  now: string | null,
  afterAccountId: string,
  afterWebhookId: string,
  maxWebhooks: number,
];

/** A webhook with something due; and the last one of a full page, due or not. */
export interface DueWebhookRow {
  readonly account_id: string;
  readonly webhook_id: string;
  /** Of its first delivery that is due and not leased. */
  readonly due_at: string | null;
  readonly is_last: boolean;
}

export const findDueWebhooks = statement<Params, DueWebhookRow>(`/* webhooks.find-due-webhooks */
SELECT account_id, webhook_id, due_at, ordinal = $4::integer AS is_last
FROM (
  SELECT page.account_id, page.webhook_id, page.ordinal, (
    SELECT delivery.due_at
    FROM webhooks.deliveries AS delivery
    WHERE delivery.due_at IS NOT NULL
      AND (delivery.account_id, delivery.webhook_id, delivery.due_at) >= (page.account_id, page.webhook_id, '-infinity')
      AND (delivery.account_id, delivery.webhook_id, delivery.due_at) <= (page.account_id, page.webhook_id, moment.now)
      AND (delivery.leased_until IS NULL OR delivery.leased_until <= moment.now)
    ORDER BY delivery.account_id, delivery.webhook_id, delivery.due_at, delivery.number
    LIMIT 1) AS due_at
  FROM (
    SELECT account_id, id AS webhook_id, row_number() OVER (ORDER BY account_id, id) AS ordinal
    FROM webhooks.webhooks
    WHERE active AND deleted_at IS NULL AND (account_id, id) > ($2::text, $3::text)
    ORDER BY account_id, id
    LIMIT $4::integer) AS page
  CROSS JOIN (SELECT coalesce($1::timestamptz, statement_timestamp()) AS now) AS moment
) AS webhook
WHERE due_at IS NOT NULL OR ordinal = $4::integer
ORDER BY ordinal
`);
