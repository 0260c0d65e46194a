// How many webhooks an account has. The count is exact under the lock of lock-account.ts.

import { statement } from "@annals/postgres";

export const countWebhooks = statement<[accountId: string], { readonly count: number }>(
  `/* webhooks.count-webhooks */
SELECT count(*)::integer AS count FROM webhooks.webhooks WHERE account_id = $1::text AND deleted_at IS NULL
`,
  { route: "one account" },
);
