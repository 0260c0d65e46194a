// Finds the entry that an attempted delivery was made for. It reads only the newest deliveries of the
// webhook, so that its cost is bounded without an index by id. No row: the delivery is not among them.

import { statement } from "@annals/postgres";

type Params = [accountId: string, webhookId: string, id: string, newest: number];

export interface FoundDelivery {
  readonly event: string;
  /** Position of the entry; null for a test. */
  readonly position: string | null;
}

export const findDelivery = statement<Params, FoundDelivery>(
  `/* webhooks.find-delivery */
SELECT event, position
FROM (
  SELECT id, event, position
  FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND attempts > 0
  ORDER BY number DESC
  LIMIT $4::integer) AS attempted
WHERE id = $3::text
LIMIT 1
`,
  { route: "one account" },
);
