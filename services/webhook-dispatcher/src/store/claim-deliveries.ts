// Claims due deliveries for this process: the first due of each webhook before the second of any, and for no
// webhook and no account more than it has slots. So neither a webhook with a long queue nor an account with
// many webhooks keeps others waiting. It looks at the notified webhooks, and scans some of all webhooks with
// a queue: the next scan goes on behind the last one.
//
// A claim is a lease: `due_at` moves to its end, and `fence` counts it. This statement does not notice a
// webhook that is disabled at the same time: an attempt begins soon after its claim or not at all, and
// disabling waits for that.

import { statement } from "@annals/postgres";

type Params = [
  now: string | null,
  afterAccountId: string,
  afterWebhookId: string,
  maxWebhooks: number,
  maxDeliveries: number,
  leaseMs: number,
  slotsPerWebhook: number,
  busyWebhookIds: readonly string[],
  busySlots: readonly number[],
  notifiedAccountIds: readonly string[],
  notifiedWebhookIds: readonly string[],
  /** Of each: only what was due since then is claimed, unless the scan finds it. */
  notifiedSince: readonly (string | null)[],
  slotsPerAccount: number,
  busyAccountIds: readonly string[],
  busyAccountSlots: readonly number[],
];

/** What every row repeats: how far the scan has come. Null where it found no further webhook. */
interface Scanned {
  readonly last_account_id: string | null;
  readonly last_webhook_id: string | null;
  readonly scanned: number;
}

export interface ClaimedRow {
  readonly account_id: string;
  readonly webhook_id: string;
  readonly number: string;
  readonly fence: string;
  readonly payload_id: string;
  readonly event: string;
  /** Of its entry; null for a test. */
  readonly position: string | null;
  /** When it was queued: UTC with six fraction digits. */
  readonly queued_at: string;
  /** Null but for what an earlier release stored. */
  readonly payload_number: string | null;
  /** Null where it is read when it is sent. */
  readonly body: Buffer | null;
  /** When it was due. */
  readonly due_at: string;
  readonly late_s: number;
  readonly url: string;
  readonly secret_key_id: string;
  readonly secret_sealed: Buffer;
  /** Null except in the grace period of a rotation. */
  readonly previous_key_id: string | null;
  readonly previous_sealed: Buffer | null;
}

/** One row at least; `number` is null in the one row where nothing was claimed. */
export type ClaimRow = Scanned & (ClaimedRow | { readonly number: null });

// The recursion is a skip scan over the distinct webhooks of the index, one probe each: the first entry of a
// webhook is its first due. `due_at` in its order binds it to the index of the queues, whatever statistics
// the planner has of the table, which also holds the history. Nothing else is read of a webhook that has
// nothing due. Each of many webhooks gets at most its share of the slots, so that nothing is locked that is
// not claimed. Where there are more webhooks than slots, a random sample of them is taken, in which each
// account has its first webhook before another has its second. A queue is entered where it is known to begin:
// before that lies one dead entry for each delivery since the last vacuum. The bounds and the order of the
// queue name all columns of its index, and `number + 0` is in no other index: without statistics of a new
// table the planner read the whole queue by the primary key, and every connection kept that plan. `now` is
// null except in tests, which bring their own time: so replicas share one clock, the database's.
export const claimDeliveries = statement<Params, ClaimRow>(`/* webhooks.claim-deliveries */
WITH RECURSIVE moment AS MATERIALIZED (
  SELECT coalesce($1::timestamptz, clock_timestamp()) AS now
),
queue (account_id, webhook_id, due_at, ordinal) AS (
  (SELECT account_id, webhook_id, due_at, 1
   FROM webhooks.deliveries
   WHERE $4::integer > 0 AND due_at IS NOT NULL AND (account_id, webhook_id) > ($2::text, $3::text)
   ORDER BY account_id, webhook_id, due_at
   LIMIT 1)
  UNION ALL
  SELECT next.account_id, next.webhook_id, next.due_at, queue.ordinal + 1
  FROM queue
  CROSS JOIN LATERAL (
    SELECT account_id, webhook_id, due_at
    FROM webhooks.deliveries
    WHERE due_at IS NOT NULL AND (account_id, webhook_id) > (queue.account_id, queue.webhook_id)
    ORDER BY account_id, webhook_id, due_at
    LIMIT 1) AS next
  WHERE queue.ordinal < $4::integer
),
notified AS MATERIALIZED (
  SELECT account_id, webhook_id, min(since) AS since
  FROM (
    SELECT account_id, webhook_id, due_at AS since FROM queue CROSS JOIN moment WHERE due_at <= moment.now
    UNION ALL
    SELECT account_id, webhook_id, coalesce(since - interval '1 second', '-infinity')
    FROM unnest($10::text[], $11::text[], $12::timestamptz[]) AS given (account_id, webhook_id, since)) AS webhook
  GROUP BY account_id, webhook_id
),
able AS (
  SELECT webhook.account_id, webhook.id, webhook.url, webhook.secret_key_id, webhook.secret_sealed,
    CASE WHEN webhook.previous_secret_until > moment.now THEN webhook.previous_secret_key_id END AS previous_key_id,
    CASE WHEN webhook.previous_secret_until > moment.now THEN webhook.previous_secret_sealed END AS previous_sealed,
    webhook.stopped_up_to, notified.since, coalesce(busy.slots, $7::integer) AS slots,
    coalesce(account.slots, $13::integer) AS account_slots,
    row_number() OVER (PARTITION BY webhook.account_id ORDER BY random()) AS account_turn
  FROM notified
  CROSS JOIN moment
  JOIN webhooks.webhooks AS webhook ON webhook.account_id = notified.account_id AND webhook.id = notified.webhook_id
  LEFT JOIN unnest($8::text[], $9::integer[]) AS busy (webhook_id, slots) ON busy.webhook_id = webhook.id
  LEFT JOIN unnest($14::text[], $15::integer[]) AS account (id, slots) ON account.id = webhook.account_id
  WHERE webhook.active AND webhook.deleted_at IS NULL AND coalesce(busy.slots, $7::integer) > 0
),
ready AS MATERIALIZED (
  SELECT able.*, greatest(1, $5::integer / (count(*) OVER ())::integer) AS share
  FROM able
  WHERE account_turn <= account_slots
  ORDER BY account_turn, random()
  LIMIT $5::integer
),
candidate AS MATERIALIZED (
  SELECT ready.*, due.number, due.due_at
  FROM ready
  CROSS JOIN moment
  CROSS JOIN LATERAL (
    SELECT number, due_at
    FROM webhooks.deliveries
    WHERE due_at IS NOT NULL AND number + 0 > ready.stopped_up_to
      AND (account_id, webhook_id, due_at) >= (ready.account_id, ready.id, ready.since)
      AND (account_id, webhook_id, due_at) <= (ready.account_id, ready.id, moment.now)
    ORDER BY account_id, webhook_id, due_at, number
    LIMIT least(ready.slots, ready.share, ready.account_slots)
    FOR UPDATE SKIP LOCKED) AS due
),
ranked AS (
  SELECT candidate.*, row_number() OVER (PARTITION BY id ORDER BY due_at, number) AS turn
  FROM candidate
),
shared AS (
  SELECT ranked.*, row_number() OVER (PARTITION BY account_id ORDER BY turn, due_at, number) AS account_rank
  FROM ranked
),
picked AS MATERIALIZED (
  SELECT shared.*
  FROM shared
  WHERE account_rank <= account_slots
  ORDER BY turn, account_rank
  LIMIT $5::integer
),
claimed AS (
  UPDATE webhooks.deliveries AS delivery
  SET fence = delivery.fence + 1, payload_fence = delivery.fence + 1, leased = true,
    due_at = moment.now + $6::integer * interval '1 millisecond'
  FROM picked CROSS JOIN moment
  WHERE delivery.account_id = picked.account_id AND delivery.webhook_id = picked.id AND delivery.number = picked.number
  RETURNING delivery.account_id, delivery.webhook_id, delivery.number, delivery.fence, delivery.payload_id,
    delivery.event, delivery.position, delivery.payload_number, delivery.body,
    to_char(delivery.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS queued_at, picked.due_at::text AS due_at,
    extract(epoch FROM moment.now - picked.due_at)::float8 AS late_s, picked.url, picked.secret_key_id, picked.secret_sealed,
    picked.previous_key_id, picked.previous_sealed, picked.turn
),
scanned AS (
  SELECT max(ordinal) AS ordinal FROM queue
)
SELECT claimed.*, queue.account_id AS last_account_id, queue.webhook_id AS last_webhook_id,
  coalesce(scanned.ordinal, 0) AS scanned
FROM scanned
LEFT JOIN queue ON queue.ordinal = scanned.ordinal
LEFT JOIN claimed ON true
ORDER BY claimed.turn
`);
