// Stores deliveries, which are due at once. Deliveries of events name their position and have no body.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  webhookIds: readonly string[],
  ids: readonly string[],
  payloadIds: readonly string[],
  events: readonly string[],
  /** Position of each entry; 0 if it has no position. */
  positions: readonly bigint[],
  /** Sizes of the bodies. */
  bytes: readonly number[],
  /** Stored bodies; null if the body is read when it is sent. */
  bodies: readonly (string | null)[],
  now: string,
];

export const createDeliveries = statement<Params, never>(
  `/* webhooks.create-deliveries */
INSERT INTO webhooks.deliveries
  (account_id, webhook_id, id, payload_id, event, position, bytes, body, created_at, due_at)
SELECT $1::text, delivery.webhook_id, delivery.id, delivery.payload_id, delivery.event, nullif(delivery.position, 0),
  delivery.bytes, convert_to(delivery.body, 'UTF8'), moment.now, moment.now
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::integer[], $8::text[]) WITH ORDINALITY
  AS delivery (webhook_id, id, payload_id, event, position, bytes, body, turn)
CROSS JOIN (SELECT greatest(statement_timestamp(), $9::timestamptz) AS now) AS moment
ORDER BY delivery.turn
`,
  { route: "one account" },
);
