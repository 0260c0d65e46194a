// Notes since when webhooks fail and when they took their first delivery, and disables those that have failed
// for too long: no attempt begins any more, as when their owner does it. Called with the results of attempts, and only where they change
// something. Locks in the order of the keys, so that two replicas never deadlock.

import { statement } from "@annals/postgres";

type Params = [
  now: string | null,
  /** Days; 0 disables none. */
  disableAfterDays: number,
  accountIds: readonly string[],
  webhookIds: readonly string[],
  /** Whether an attempt of the webhook was successful. */
  successes: readonly boolean[],
  /** To which the attempts went: a success of an earlier URL is none of this one. */
  urls: readonly string[],
];

export interface MarkedRow {
  readonly account_id: string;
  readonly id: string;
  readonly is_dead: boolean;
}

export const markHealth = statement<Params, MarkedRow>(`/* webhooks.mark-health */
WITH moment AS MATERIALIZED (
  SELECT coalesce($1::timestamptz, clock_timestamp()) AS now
),
locked AS MATERIALIZED (
  SELECT webhook.account_id, webhook.id, given.success, given.url, moment.now,
    coalesce($2::integer > 0 AND webhook.active AND NOT given.success
      AND webhook.failing_since <= moment.now - $2::integer * interval '1 day', false) AS is_dead
  FROM unnest($3::text[], $4::text[], $5::boolean[], $6::text[]) AS given (account_id, webhook_id, success, url)
  JOIN webhooks.webhooks AS webhook ON webhook.account_id = given.account_id AND webhook.id = given.webhook_id
  CROSS JOIN moment
  WHERE webhook.deleted_at IS NULL
  ORDER BY webhook.account_id, webhook.id
  FOR UPDATE OF webhook
)
UPDATE webhooks.webhooks AS webhook SET
  first_success_at = CASE WHEN locked.success AND webhook.url = locked.url
    THEN coalesce(webhook.first_success_at, locked.now) ELSE webhook.first_success_at END,
  failing_since = CASE WHEN NOT locked.success THEN coalesce(webhook.failing_since, locked.now) END,
  active = webhook.active AND NOT locked.is_dead,
  disabled_at = CASE WHEN locked.is_dead THEN locked.now ELSE webhook.disabled_at END,
  disabled_reason = CASE WHEN locked.is_dead THEN 'failing' ELSE webhook.disabled_reason END,
  stopped_up_to = CASE WHEN locked.is_dead THEN greatest(webhook.stopped_up_to, (
    SELECT max(number) FROM webhooks.deliveries
    WHERE deliveries.account_id = webhook.account_id AND deliveries.webhook_id = webhook.id))
    ELSE webhook.stopped_up_to END
FROM locked
WHERE webhook.account_id = locked.account_id AND webhook.id = locked.id
RETURNING webhook.account_id, webhook.id, locked.is_dead
`);
