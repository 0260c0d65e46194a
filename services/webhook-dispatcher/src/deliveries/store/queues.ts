// Opens and closes queues: the scan for due deliveries reads only webhooks whose queue is open. A queue is
// opened before deliveries are stored in it, and closed by the clean-up when it is empty. It must never be
// closed while a delivery of it is pending.

import { statement } from "@annals/postgres";

/**
 * Opens the queues of webhooks. Call it outside a transaction, because nothing may wait for these locks. It
 * takes them in the order of the ids, like lock-subscribers.ts, so that two fan-outs never deadlock.
 */
export const openQueues = statement<[accountId: string, ids: readonly string[]], never>(
  `/* webhooks.open-queues */
UPDATE webhooks.webhooks AS webhook SET is_drained = false
FROM (
  SELECT id FROM webhooks.webhooks
  WHERE account_id = $1::text AND id = ANY ($2::text[]) AND deleted_at IS NULL
  ORDER BY id
  FOR UPDATE) AS locked
WHERE webhook.account_id = $1::text AND webhook.id = locked.id
`,
  { route: "one account" },
);

/**
 * Closes the queue of a webhook if it is empty. Call it when the transaction has locked the webhook:
 * transactions that store deliveries share that lock, so either their deliveries are visible, or they wait
 * and find the queue closed.
 */
export const closeQueue = statement<[accountId: string, id: string], never>(
  `/* webhooks.close-queue */
UPDATE webhooks.webhooks SET is_drained = true
WHERE account_id = $1::text AND id = $2::text AND NOT is_drained AND NOT EXISTS (
  SELECT 1 FROM webhooks.deliveries WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL)
`,
  { route: "one account" },
);
