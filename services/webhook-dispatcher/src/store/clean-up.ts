// What the clean-up deletes, in bounded pieces. Each statement returns how many rows it touched.

import { statement } from "@annals/postgres";

interface Touched {
  readonly touched: number;
}

/** Deliveries of deleted webhooks, then those webhooks themselves. */
export const deleteOfDeletedWebhooks = statement<
  [limit: number],
  Touched
>(`/* webhooks.delete-of-deleted-webhooks */
WITH gone AS (
  SELECT account_id, id FROM webhooks.webhooks WHERE deleted_at IS NOT NULL ORDER BY account_id, id LIMIT 100
),
piece AS MATERIALIZED (
  SELECT gone.account_id, gone.id, delivery.number
  FROM gone
  CROSS JOIN LATERAL (
    SELECT number FROM webhooks.deliveries
    WHERE deliveries.account_id = gone.account_id AND deliveries.webhook_id = gone.id
    ORDER BY number LIMIT $1::integer) AS delivery
  LIMIT $1::integer
),
deleted AS (
  DELETE FROM webhooks.deliveries USING piece
  WHERE deliveries.account_id = piece.account_id AND deliveries.webhook_id = piece.id
    AND deliveries.number = piece.number
  RETURNING 1
),
drops AS (
  DELETE FROM webhooks.drops USING gone WHERE drops.account_id = gone.account_id AND drops.webhook_id = gone.id
),
emptied AS (
  DELETE FROM webhooks.webhooks USING gone
  WHERE webhooks.account_id = gone.account_id AND webhooks.id = gone.id
    AND NOT EXISTS (SELECT FROM webhooks.deliveries
      WHERE deliveries.account_id = gone.account_id AND deliveries.webhook_id = gone.id)
  RETURNING 1
)
SELECT ((SELECT count(*) FROM deleted) + (SELECT count(*) FROM emptied))::integer AS touched
`);

/**
 * Stopped deliveries: deletes those never attempted; the others stay in the history without a next attempt.
 */
export const settleStopped = statement<
  [now: string | null, limit: number],
  Touched
>(`/* webhooks.settle-stopped */
WITH moment AS MATERIALIZED (
  SELECT coalesce($1::timestamptz, clock_timestamp()) AS now
),
piece AS MATERIALIZED (
  SELECT webhook.account_id, webhook.id, delivery.number, delivery.attempts
  FROM webhooks.webhooks AS webhook
  CROSS JOIN moment
  CROSS JOIN LATERAL (
    SELECT number, attempts FROM webhooks.deliveries
    WHERE deliveries.account_id = webhook.account_id AND deliveries.webhook_id = webhook.id
      AND due_at IS NOT NULL AND number <= webhook.stopped_up_to
      AND (leased_until IS NULL OR leased_until <= moment.now)
    ORDER BY due_at, number
    LIMIT $2::integer
    FOR UPDATE SKIP LOCKED) AS delivery
  WHERE webhook.stopped_up_to > 0 AND webhook.deleted_at IS NULL
  LIMIT $2::integer
),
deleted AS (
  DELETE FROM webhooks.deliveries USING piece
  WHERE deliveries.account_id = piece.account_id AND deliveries.webhook_id = piece.id
    AND deliveries.number = piece.number AND piece.attempts = 0
  RETURNING 1
),
settled AS (
  UPDATE webhooks.deliveries SET due_at = NULL, body = NULL, leased_until = NULL
  FROM piece
  WHERE deliveries.account_id = piece.account_id AND deliveries.webhook_id = piece.id
    AND deliveries.number = piece.number AND piece.attempts > 0
  RETURNING 1
)
SELECT ((SELECT count(*) FROM deleted) + (SELECT count(*) FROM settled))::integer AS touched
`);

/** Records of deliveries whose last attempt is older than the retention. */
export const deleteExpiredDeliveries = statement<
  [now: string | null, retentionDays: number, limit: number],
  Touched
>(`/* webhooks.delete-expired-deliveries */
WITH piece AS MATERIALIZED (
  SELECT webhook.account_id, webhook.id, oldest.number
  FROM webhooks.webhooks AS webhook
  CROSS JOIN LATERAL (
    SELECT number, attempted_at, due_at FROM webhooks.deliveries
    WHERE deliveries.account_id = webhook.account_id AND deliveries.webhook_id = webhook.id
    ORDER BY number LIMIT 100) AS oldest
  WHERE oldest.due_at IS NULL AND oldest.attempted_at
    < coalesce($1::timestamptz, clock_timestamp()) - $2::integer * interval '1 day'
  LIMIT $3::integer
),
deleted AS (
  DELETE FROM webhooks.deliveries USING piece
  WHERE deliveries.account_id = piece.account_id AND deliveries.webhook_id = piece.id
    AND deliveries.number = piece.number
  RETURNING 1
)
SELECT count(*)::integer AS touched FROM deleted
`);

/** Secrets before a rotation whose grace period is over. */
export const eraseExpiredSecrets = statement<
  [now: string | null],
  never
>(`/* webhooks.erase-expired-secrets */
UPDATE webhooks.webhooks
SET previous_secret_key_id = NULL, previous_secret_sealed = NULL, previous_secret_until = NULL
WHERE previous_secret_until <= coalesce($1::timestamptz, clock_timestamp())
`);
