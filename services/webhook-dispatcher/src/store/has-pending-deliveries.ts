// Whether a webhook has deliveries that are not done.

import { statement } from "@annals/postgres";

type Params = [accountId: string, webhookId: string];

export const hasPendingDeliveries = statement<
  Params,
  { readonly pending: boolean }
>(`/* webhooks.has-pending-deliveries */
SELECT EXISTS (
  SELECT FROM webhooks.deliveries
  WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL) AS pending
`);
