// Stores deliveries, due at once, and of each entry what their bodies have in common. So an entry is sent to
// PostgreSQL and stored once, however many webhooks receive it.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  webhookIds: readonly string[],
  ids: readonly string[],
  payloadIds: readonly string[],
  /** Of each delivery: the ordinal of its entry, from 1. */
  ordinals: readonly number[],
  events: readonly string[],
  tails: readonly string[],
  /** Of each entry; 0 where it has none. */
  positions: readonly bigint[],
  now: string | null,
];

export const createDeliveries = statement<Params, never>(`/* webhooks.create-deliveries */
WITH entry AS MATERIALIZED (
  SELECT given.*, nextval('webhooks.payload_numbers') AS number
  FROM unnest($6::text[], $7::text[], $8::bigint[]) WITH ORDINALITY AS given (event, tail, position, entry_ordinal)
  WHERE entry_ordinal = ANY ($5::bigint[])
),
payload AS (
  INSERT INTO webhooks.payloads (account_id, number, tail) SELECT $1::text, number, tail FROM entry
)
INSERT INTO webhooks.deliveries
  (account_id, webhook_id, id, payload_id, event, payload_number, position, created_at, next_attempt_at, due_at)
SELECT $1::text, delivery.webhook_id, delivery.id, delivery.payload_id, entry.event, entry.number, nullif(entry.position, 0),
  moment.now, moment.now, moment.now
FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY
  AS delivery (webhook_id, id, payload_id, entry_ordinal, turn)
JOIN entry USING (entry_ordinal)
CROSS JOIN (SELECT coalesce($9::timestamptz, clock_timestamp()) AS now) AS moment
ORDER BY delivery.turn
`);
