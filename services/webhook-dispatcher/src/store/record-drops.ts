// Adds to the record of what was not queued for webhooks of an account. In the order of their ids, so that
// two fan-outs never deadlock. Returns the webhooks, and whether it is the first drop of their record.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  webhookIds: readonly string[],
  counts: readonly number[],
  firstSequenceNumbers: readonly (bigint | null)[],
  lastSequenceNumbers: readonly (bigint | null)[],
  now: string | null,
];

export interface DropRow {
  readonly webhook_id: string;
  readonly is_first: boolean;
}

export const recordDrops = statement<Params, DropRow>(`/* webhooks.record-drops */
INSERT INTO webhooks.drops AS known
  (account_id, webhook_id, count, first_sequence_number, last_sequence_number, last_at)
SELECT $1::text, webhook_id, count, first, last, coalesce($6::timestamptz, clock_timestamp())
FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS given (webhook_id, count, first, last)
ORDER BY webhook_id
ON CONFLICT (account_id, webhook_id) DO UPDATE SET
  count = known.count + excluded.count,
  first_sequence_number = least(known.first_sequence_number, excluded.first_sequence_number),
  last_sequence_number = greatest(known.last_sequence_number, excluded.last_sequence_number),
  last_at = excluded.last_at
RETURNING webhook_id, count = (SELECT given.count FROM unnest($2::text[], $3::bigint[]) AS given (webhook_id, count)
  WHERE given.webhook_id = known.webhook_id) AS is_first
`);
