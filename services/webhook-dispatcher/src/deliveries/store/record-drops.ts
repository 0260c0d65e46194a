// Adds to the record of what was not queued for webhooks of an account. It goes in the order of their ids, so
// that two fan-outs never deadlock. Returns the webhooks, and the counts of their records.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  webhookIds: readonly string[],
  counts: readonly number[],
  firstSequenceNumbers: readonly (bigint | null)[],
  lastSequenceNumbers: readonly (bigint | null)[],
  now: string,
];

export interface DropRow {
  readonly webhook_id: string;
  readonly count: string;
}

export const recordDrops = statement<Params, DropRow>(
  `/* webhooks.record-drops */
INSERT INTO webhooks.drops AS known
  (account_id, webhook_id, count, first_sequence_number, last_sequence_number, last_at)
SELECT $1::text, webhook_id, count, first, last, moment.now
FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS given (webhook_id, count, first, last)
CROSS JOIN (SELECT greatest(statement_timestamp(), $6::timestamptz) AS now) AS moment
ORDER BY webhook_id
ON CONFLICT (account_id, webhook_id) DO UPDATE SET
  count = known.count + excluded.count,
  first_sequence_number = least(known.first_sequence_number, excluded.first_sequence_number),
  last_sequence_number = greatest(known.last_sequence_number, excluded.last_sequence_number),
  last_at = excluded.last_at
RETURNING webhook_id, count
`,
  { route: "one account" },
);
