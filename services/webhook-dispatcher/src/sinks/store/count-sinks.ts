// How many sinks an account has. The count is exact under the lock of lock-account.ts.

import { statement } from "@annals/postgres";

export const countSinks = statement<[accountId: string], { readonly count: number }>(
  `/* webhooks.count-sinks */
SELECT count(*)::integer AS count FROM webhooks.sinks WHERE account_id = $1::text AND operator IS NULL
`,
  { route: "one account" },
);
