// How many webhooks an account has. Exact under the lock of lock-account.

import { statement } from "@annals/postgres";

export const countWebhooks = statement<
  [accountId: string],
  { readonly count: number }
>(`/* webhooks.count-webhooks */
SELECT count(*)::integer AS count FROM webhooks.webhooks WHERE account_id = $1::text AND deleted_at IS NULL
`);
