// The accounts with an active webhook that subscribes to checkpoints, by id after a given one, and the cursor
// of each.

import { statement } from "@annals/postgres";

type Params = [afterAccountId: string, limit: number, patterns: readonly string[]];

export interface CheckpointSubscriberRow {
  readonly account_id: string;
  readonly position: string;
}

export const listCheckpointSubscribers = statement<Params, CheckpointSubscriberRow>(
  `/* webhooks.list-checkpoint-subscribers */
SELECT subscribed.account_id, cursors.position
FROM (
  SELECT account_id
  FROM webhooks.webhooks
  WHERE active AND deleted_at IS NULL AND events && $3::text[] AND account_id > $1::text
  GROUP BY account_id
  ORDER BY account_id
  LIMIT $2::integer) AS subscribed
JOIN webhooks.cursors USING (account_id)
WHERE kind = 'checkpoints'
ORDER BY subscribed.account_id
`,
  { route: "all accounts, read" },
);
