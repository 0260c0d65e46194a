// Claims due deliveries for this process: each webhook in its turn, the first due of each before
// the second of any, and of none more than it has room for. So a webhook with a long queue never
// keeps another waiting. It looks at the webhooks that are named, and at some of all that have anything
// waiting: that walk goes on behind the last one where it is asked to.
//
// A claim is a lease: `due_at` moves to its end, and `fence` counts it. A webhook that is switched off
// while its deliveries are claimed is not noticed here: whoever claims begins soon or not at all, and
// whoever switches off waits for that.

import { statement } from "@annals/postgres";

type Params = [
  now: string | null,
  afterAccountId: string,
  afterWebhookId: string,
  maxWebhooks: number,
  maxDeliveries: number,
  leaseMs: number,
  roomPerWebhook: number,
  busyWebhookIds: readonly string[],
  busyRooms: readonly number[],
  namedAccountIds: readonly string[],
  namedWebhookIds: readonly string[],
  /** Of each: nothing that was due earlier is looked for, but what the walk meets. */
  namedSince: readonly (string | null)[],
];

/**
 * What every row repeats: how far the round over the webhooks has come. Null where no webhook was
 * left to look at.
 */
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
  readonly body: Buffer;
  /** When it was due. */
  readonly due_at: string;
  readonly late_s: number;
  readonly url: string;
  readonly secret_key_id: string;
  readonly secret_sealed: Buffer;
}

/** One row at least; `number` is null in the one row where nothing was claimed. */
export type ClaimRow = Scanned & (ClaimedRow | { readonly number: null });

// The recursion is a walk over the distinct webhooks of the index, one probe each: the first entry of a
// webhook is its first due. `due_at` in its order is what binds it to the index of the queues, whatever the
// planner believes of the table, which also holds the history; nothing but the walk is read of a webhook
// that has nothing due. Of many webhooks each gives its share of the places at most, so that nothing is
// locked that is not claimed; more than there are places come by lot. A queue is entered where it is known
// to begin: before that lies one dead entry for each delivery since the last vacuum. Its bounds and its order
// name all columns of its index, and `number + 0` is in no other: a planner that knew nothing of a new table
// read the whole queue by the primary key, and every connection kept that plan. `now` is null but for tests,
// which bring their own time: replicas then share one clock, the database's.
export const claimDeliveries = statement<Params, ClaimRow>(`/* webhooks.claim-deliveries */
WITH RECURSIVE moment AS MATERIALIZED (
  SELECT coalesce($1::timestamptz, clock_timestamp()) AS now
),
queue (account_id, webhook_id, due_at, place) AS (
  (SELECT account_id, webhook_id, due_at, 1
   FROM webhooks.deliveries
   WHERE $4::integer > 0 AND due_at IS NOT NULL AND (account_id, webhook_id) > ($2::text, $3::text)
   ORDER BY account_id, webhook_id, due_at
   LIMIT 1)
  UNION ALL
  SELECT next.account_id, next.webhook_id, next.due_at, queue.place + 1
  FROM queue
  CROSS JOIN LATERAL (
    SELECT account_id, webhook_id, due_at
    FROM webhooks.deliveries
    WHERE due_at IS NOT NULL AND (account_id, webhook_id) > (queue.account_id, queue.webhook_id)
    ORDER BY account_id, webhook_id, due_at
    LIMIT 1) AS next
  WHERE queue.place < $4::integer
),
named AS MATERIALIZED (
  SELECT account_id, webhook_id, min(since) AS since
  FROM (
    SELECT account_id, webhook_id, due_at AS since FROM queue CROSS JOIN moment WHERE due_at <= moment.now
    UNION ALL
    SELECT account_id, webhook_id, coalesce(since - interval '1 second', '-infinity')
    FROM unnest($10::text[], $11::text[], $12::timestamptz[]) AS given (account_id, webhook_id, since)) AS webhook
  GROUP BY account_id, webhook_id
),
ready AS MATERIALIZED (
  SELECT webhook.account_id, webhook.id, webhook.url, webhook.secret_key_id, webhook.secret_sealed,
    webhook.stopped_up_to, named.since, coalesce(busy.room, $7::integer) AS room,
    greatest(1, $5::integer / (count(*) OVER ())::integer) AS share
  FROM named
  JOIN webhooks.webhooks AS webhook ON webhook.account_id = named.account_id AND webhook.id = named.webhook_id
  LEFT JOIN unnest($8::text[], $9::integer[]) AS busy (webhook_id, room) ON busy.webhook_id = webhook.id
  WHERE webhook.active AND webhook.deleted_at IS NULL AND coalesce(busy.room, $7::integer) > 0
  ORDER BY random()
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
    LIMIT least(ready.room, ready.share)
    FOR UPDATE SKIP LOCKED) AS due
),
picked AS MATERIALIZED (
  SELECT candidate.*, row_number() OVER (PARTITION BY id ORDER BY due_at, number) AS turn
  FROM candidate
  ORDER BY turn
  LIMIT $5::integer
),
claimed AS (
  UPDATE webhooks.deliveries AS delivery
  SET fence = delivery.fence + 1, leased = true, due_at = moment.now + $6::integer * interval '1 millisecond'
  FROM picked CROSS JOIN moment
  WHERE delivery.account_id = picked.account_id AND delivery.webhook_id = picked.id AND delivery.number = picked.number
  RETURNING delivery.account_id, delivery.webhook_id, delivery.number, delivery.fence, delivery.payload_id,
    delivery.body, picked.due_at::text AS due_at, extract(epoch FROM moment.now - picked.due_at)::float8 AS late_s,
    picked.url, picked.secret_key_id, picked.secret_sealed, picked.turn
),
scanned AS (
  SELECT max(place) AS place FROM queue
)
SELECT claimed.*, queue.account_id AS last_account_id, queue.webhook_id AS last_webhook_id,
  coalesce(scanned.place, 0) AS scanned
FROM scanned
LEFT JOIN queue ON queue.place = scanned.place
LEFT JOIN claimed ON true
ORDER BY claimed.turn
`);
