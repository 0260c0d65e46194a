// Stores deliveries, due at once. Here the body is put together, once: `{"id":"<payload id>"` and the entry's
// tail. So an entry is sent to PostgreSQL once, however many webhooks receive it.

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
  now: string | null,
];

export const createDeliveries = statement<Params, never>(`/* webhooks.create-deliveries */
INSERT INTO webhooks.deliveries
  (account_id, webhook_id, id, payload_id, event, body, created_at, next_attempt_at, due_at)
SELECT $1::text, delivery.webhook_id, delivery.id, delivery.payload_id, entry.event,
  convert_to('{"id":"' || delivery.payload_id || '"' || entry.tail, 'UTF8'), moment.now, moment.now, moment.now
FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY
  AS delivery (webhook_id, id, payload_id, entry_ordinal, turn)
JOIN unnest($6::text[], $7::text[]) WITH ORDINALITY AS entry (event, tail, entry_ordinal) USING (entry_ordinal)
CROSS JOIN (SELECT coalesce($8::timestamptz, clock_timestamp()) AS now) AS moment
ORDER BY delivery.turn
`);
