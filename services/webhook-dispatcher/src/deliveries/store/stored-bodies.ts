// Stored bodies of deliveries of which an attempt is to come, and their end: a body that holds an erased
// value is never sent. Called by worker/erased-copies.ts, in pieces.

import { statement } from "@annals/postgres";

export interface BodyRow {
  readonly webhook_id: string;
  readonly number: string;
  readonly body: Buffer;
}

type Page = [
  accountId: string,
  afterWebhookId: string,
  afterNumber: string,
  event: string,
  limit: number,
];

export const listBodies = statement<Page, BodyRow>(
  `/* webhooks.list-bodies */
SELECT webhook_id, number, body FROM webhooks.deliveries
WHERE account_id = $1::text AND (webhook_id, number) > ($2::text, $3::bigint) AND due_at IS NOT NULL
  AND body IS NOT NULL AND event = $4::text
ORDER BY webhook_id, number
LIMIT $5::integer
`,
  { route: "one account" },
);

/** The delivery ends as a failed one. What an attempt in flight still reports is not stored. */
export const clearBody = statement<
  [accountId: string, webhookId: string, number: string],
  { readonly number: string }
>(
  `/* webhooks.clear-body */
UPDATE webhooks.deliveries AS delivery
SET body = NULL, due_at = NULL, leased_until = NULL, attempts = greatest(delivery.attempts, 1),
  attempted_at = coalesce(delivery.attempted_at, moment.now)
FROM (SELECT statement_timestamp() AS now OFFSET 0) AS moment
WHERE delivery.account_id = $1::text AND delivery.webhook_id = $2::text AND delivery.number = $3::bigint
  AND delivery.body IS NOT NULL
RETURNING delivery.number
`,
  { route: "one account" },
);
