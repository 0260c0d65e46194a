// Claims due deliveries of given webhooks for this process: for each webhook those that were due first, at
// most as many as its slots. find-due-webhooks.ts and the fan-out say for which webhooks, and
// rules/delivery-machine.ts how many.
//
// A claim is a lease: no other process claims the delivery before `leased_until`, and `fence` counts the
// claims. No index has either column, so a claim writes one row and no index.
//
// A lease that has ended without a result or a release is one whose process ended, perhaps by this delivery.
// It is claimed again once at once. This and each further claim counts its attempt before it is sent, and the
// next one is due by the schedule of retries: a delivery that ends every process that sends it backs off, and
// finally fails (ADR 71, docs/adr/archive.md).
//
// This statement does not notice
// a webhook that is disabled at the same time: an attempt begins soon after its claim or not at all, and
// disabling waits for that.

import { statement } from "@annals/postgres";

type Params = [
  now: string,
  /** Accounts of all webhooks, each once and sorted: PostgreSQL sorts them for each row that it looks up. */
  accountIds: readonly string[],
  accountIdOfEach: readonly string[],
  webhookIds: readonly string[],
  /** Time since which deliveries of each webhook are claimed; earlier ones are not. */
  since: readonly string[],
  slots: readonly number[],
  leaseS: number,
  retryDelaysS: readonly number[],
];

export interface ClaimedRow {
  readonly account_id: string;
  readonly webhook_id: string;
  readonly number: string;
  readonly fence: string;
  readonly payload_id: string;
  readonly event: string;
  /** Position of its entry; null for a test. */
  readonly position: string | null;
  /** Time at which it was queued, as PostgreSQL prints it. */
  readonly created_at: string;
  /** Stored body; null for an event, which is read when it is sent. */
  readonly body: Buffer | null;
  /** Time at which it was due. */
  readonly was_due_at: string;
  /** Time at which it is due while it is claimed; null if {@link is_over}. */
  readonly due_at: string | null;
  /** Whether it has failed by this claim: its last attempt has ended without a result. */
  readonly is_over: boolean;
  readonly late_s: number;
  readonly url: string;
  readonly secret_key_id: string;
  readonly secret_sealed: Buffer;
  /** Null except during the grace period of a rotation. */
  readonly previous_key_id: string | null;
  readonly previous_sealed: Buffer | null;
}

// `since` is a lower bound of the probe: the index has a dead entry for each delivery since the last vacuum,
// before the first entry that is due. The bounds and the order name all columns of the index of the queues.
// Deliveries that another process claims at the same time are locked, and skipped. The LIMIT makes PostgreSQL
// look up each webhook; without it, it compares all webhooks of an account with all given ones. A picked row
// is found by its place, its ctid. By its columns PostgreSQL may find it in a join that reads the whole queue
// of the account: it takes a queue that is newer than its statistics for one row.
// The retry of a counted attempt is due after one to two times its delay, by other bits of its number each
// time: deliveries that were in flight together when a process ended are not sent together again.
export const claimDeliveries = statement<Params, ClaimedRow>(
  `/* webhooks.claim-deliveries */
WITH picked AS MATERIALIZED (
  SELECT due.account_id, due.number, due.place, due.due_at, due.is_lost AND NOT due.is_over AS counts, due.is_over,
    moment.now, moment.leased_until,
    moment.leased_until + due.delay_s * (1 + (due.number >> due.digit & 15) / 16.0) * interval '1 second' AS retry_at,
    extract(epoch FROM moment.now - due.due_at)::float8 AS late_s, webhook.url, webhook.secret_key_id, webhook.secret_sealed,
    CASE WHEN webhook.previous_secret_until > moment.now THEN webhook.previous_secret_key_id END AS previous_key_id,
    CASE WHEN webhook.previous_secret_until > moment.now THEN webhook.previous_secret_sealed END AS previous_sealed
  FROM unnest($3::text[], $4::text[], $5::timestamptz[], $6::integer[]) AS given (account_id, webhook_id, since, slots)
  CROSS JOIN (
    SELECT greatest(statement_timestamp(), $1::timestamptz) AS now,
      greatest(statement_timestamp(), $1::timestamptz) + $7::float8 * interval '1 second' AS leased_until) AS moment
  CROSS JOIN LATERAL (
    SELECT account_id, id, url, stopped_up_to, secret_key_id, secret_sealed, previous_secret_key_id,
      previous_secret_sealed, previous_secret_until
    FROM webhooks.webhooks
    WHERE account_id = ANY ($2::text[]) AND account_id = given.account_id AND id = given.webhook_id
      AND active AND deleted_at IS NULL
    LIMIT 1) AS webhook
  CROSS JOIN LATERAL (
    SELECT account_id, due_at, number, ctid AS place, leased_until IS NOT NULL AS is_lost,
      leased_until IS NOT NULL AND is_counted AND ($8::float8[])[attempts] IS NULL AS is_over,
      coalesce(($8::float8[])[attempts + 1], 0) AS delay_s, 4 * attempts AS digit
    FROM webhooks.deliveries
    WHERE account_id = ANY ($2::text[]) AND account_id = webhook.account_id AND webhook_id = webhook.id
      AND due_at >= given.since AND due_at <= moment.now AND number > webhook.stopped_up_to
      AND (leased_until IS NULL OR leased_until <= moment.now)
    ORDER BY due_at, number
    LIMIT given.slots
    FOR UPDATE SKIP LOCKED) AS due
)
UPDATE webhooks.deliveries AS delivery
SET fence = delivery.fence + 1,
  leased_until = CASE WHEN NOT picked.is_over THEN picked.leased_until END,
  is_counted = picked.counts,
  attempts = delivery.attempts + CASE WHEN picked.counts THEN 1 ELSE 0 END,
  attempted_at = CASE WHEN picked.counts THEN picked.now ELSE delivery.attempted_at END,
  status_code = CASE WHEN NOT picked.counts THEN delivery.status_code END,
  failure = CASE WHEN picked.counts THEN 'interrupted' ELSE delivery.failure END,
  due_at = CASE WHEN picked.is_over THEN NULL WHEN picked.counts THEN picked.retry_at ELSE delivery.due_at END,
  body = CASE WHEN NOT picked.is_over THEN delivery.body END
FROM picked
WHERE delivery.account_id = ANY ($2::text[]) AND delivery.account_id = picked.account_id
  AND delivery.ctid = picked.place AND delivery.number = picked.number
RETURNING delivery.account_id, delivery.webhook_id, delivery.number, delivery.fence, delivery.payload_id, delivery.event,
  delivery.position, delivery.body, delivery.created_at, delivery.due_at, picked.due_at AS was_due_at, picked.is_over,
  picked.late_s, picked.url, picked.secret_key_id,
  picked.secret_sealed, picked.previous_key_id, picked.previous_sealed
`,
  { route: "some accounts" },
);
