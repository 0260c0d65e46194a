// Finds the first pending delivery of a webhook, if it has one.

import { statement } from "@annals/postgres";

type Params = [accountId: string, webhookId: string];

export const hasPendingDeliveries = statement<Params, { readonly number: string }>(
  `/* webhooks.has-pending-deliveries */
SELECT number FROM webhooks.deliveries
WHERE account_id = $1::text AND webhook_id = $2::text AND due_at IS NOT NULL
ORDER BY due_at
LIMIT 1
`,
  { route: "one account" },
);
