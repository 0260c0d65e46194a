// Deletes the record of what was not queued for a webhook.

import { statement } from "@annals/postgres";

export const clearDrops = statement<[accountId: string, webhookId: string], never>(
  `/* webhooks.clear-drops */
DELETE FROM webhooks.drops WHERE account_id = $1::text AND webhook_id = $2::text
`,
  { route: "one account" },
);
