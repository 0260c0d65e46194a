// Which entry an attempted delivery was made for. It looks at the newest of the webhook, so that its cost is
// bounded without an index by id. No row: there is none among them.

import { statement } from "@annals/postgres";

type Params = [accountId: string, webhookId: string, id: string, newest: number];

export interface FoundDelivery {
  readonly event: string;
  /** Null for a test. */
  readonly position: string | null;
}

export const findDelivery = statement<Params, FoundDelivery>(`/* webhooks.find-delivery */
SELECT event, position
FROM (
  SELECT id, event, position
  FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND attempts > 0
  ORDER BY number DESC
  LIMIT $4::integer) AS attempted
WHERE id = $3::text
LIMIT 1
`);
