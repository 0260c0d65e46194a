// Whether a webhook has pending deliveries. The order binds it to the index of the queues: without it a
// planner with stale statistics may scan the whole history.

import { statement } from "@annals/postgres";

type Params = [accountId: string, webhookId: string];

export const hasPendingDeliveries = statement<
  Params,
  { readonly pending: true | null }
>(`/* webhooks.has-pending-deliveries */
SELECT (
  SELECT true FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL
  ORDER BY due_at
  LIMIT 1) AS pending
`);
