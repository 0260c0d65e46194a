// What the clean-up does to one webhook, in bounded pieces. Deliveries that another process works on are
// locked, and skipped, so that two clean-ups share the work and never deadlock. Each piece is MATERIALIZED: a
// join that reads it again would lock the next rows instead, beyond the limit. For the place of a delivery
// see claim-deliveries.ts.

import { statement } from "@annals/postgres";

type Piece = [accountId: string, webhookId: string, limit: number];

interface Touched {
  readonly number: string;
}

/** Deletes pending deliveries up to a number that were never attempted, and that no claim holds. */
export const deleteUnattempted = statement<[...Piece, upTo: string, now: string], Touched>(
  `/* webhooks.delete-unattempted */
WITH piece AS MATERIALIZED (
  SELECT number, ctid AS place FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL AND number <= $4::bigint AND attempts = 0
    AND (leased_until IS NULL OR leased_until <= greatest(statement_timestamp(), $5::timestamptz))
  ORDER BY due_at, number
  LIMIT $3::integer
  FOR UPDATE SKIP LOCKED
)
DELETE FROM webhooks.deliveries AS delivery
USING piece
WHERE delivery.account_id = $1::text AND delivery.webhook_id = $2::text
  AND delivery.ctid = piece.place AND delivery.number = piece.number
RETURNING delivery.number
`,
  { route: "one account" },
);

/** Leaves attempted deliveries in the history, without a next attempt. */
export const settleAttempted = statement<[...Piece, upTo: string, now: string], Touched>(
  `/* webhooks.settle-attempted */
WITH piece AS MATERIALIZED (
  SELECT number, ctid AS place FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL AND number <= $4::bigint AND attempts > 0
    AND (leased_until IS NULL OR leased_until <= greatest(statement_timestamp(), $5::timestamptz))
  ORDER BY due_at, number
  LIMIT $3::integer
  FOR UPDATE SKIP LOCKED
)
UPDATE webhooks.deliveries AS delivery SET due_at = NULL, body = NULL, leased_until = NULL
FROM piece
WHERE delivery.account_id = $1::text AND delivery.webhook_id = $2::text
  AND delivery.ctid = piece.place AND delivery.number = piece.number
RETURNING delivery.number
`,
  { route: "one account" },
);

/**
 * Deletes the oldest attempted deliveries if they are finished and their last attempt was more than `days`
 * days ago. A delivery that is kept makes the piece smaller than the limit, and later ones wait for it, but
 * no longer than its retries took.
 */
export const deleteFinished = statement<[...Piece, now: string, days: number], Touched>(
  `/* webhooks.delete-finished */
WITH oldest AS MATERIALIZED (
  SELECT number, ctid AS place FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND attempts > 0
  ORDER BY number
  LIMIT $3::integer
  FOR UPDATE SKIP LOCKED
)
DELETE FROM webhooks.deliveries AS delivery
USING oldest
WHERE delivery.account_id = $1::text AND delivery.webhook_id = $2::text
  AND delivery.ctid = oldest.place AND delivery.number = oldest.number AND delivery.due_at IS NULL
  AND delivery.attempted_at < greatest(statement_timestamp(), $4::timestamptz) - $5::integer * interval '1 day'
RETURNING delivery.number
`,
  { route: "one account" },
);

/** Deletes the row of a deleted webhook that has no deliveries left. */
export const removeWebhook = statement<[accountId: string, id: string], never>(
  `/* webhooks.remove-webhook */
DELETE FROM webhooks.webhooks
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NOT NULL
  AND NOT EXISTS (
    SELECT 1 FROM webhooks.deliveries WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL)
  AND NOT EXISTS (
    SELECT 1 FROM webhooks.deliveries WHERE account_id = $1::text AND webhook_id = $2::text AND attempts > 0)
`,
  { route: "one account" },
);

/** Erases the previous secret after a rotation, if its grace period is over. */
export const eraseExpiredSecret = statement<[accountId: string, id: string, now: string], never>(
  `/* webhooks.erase-expired-secret */
UPDATE webhooks.webhooks
SET previous_secret_key_id = NULL, previous_secret_sealed = NULL, previous_secret_until = NULL
WHERE account_id = $1::text AND id = $2::text
  AND previous_secret_until <= greatest(statement_timestamp(), $3::timestamptz)
`,
  { route: "one account" },
);
