// Whether an account has sinks. Called by exports.ts for deliveries/worker/erased-copies.ts.

import { statement } from "@annals/postgres";

export const hasSinks = statement<[accountId: string], { readonly id: string }>(
  `/* webhooks.has-sinks */
SELECT id FROM webhooks.sinks WHERE account_id = $1::text LIMIT 1
`,
  { route: "one account" },
);
