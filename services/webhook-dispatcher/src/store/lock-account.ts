// Lets one transaction at a time create a webhook of an account, so that the count is exact.

import { statement } from "@annals/postgres";

// It is an advisory lock, because there is no row to lock before the first webhook.
export const lockAccount = statement<[accountId: string], never>(
  `/* webhooks.lock-account */
SELECT pg_advisory_xact_lock(hashtextextended('annals.webhooks ' || $1::text, 0))
`,
  { route: "local" },
);
