// The accounts with a webhook, or a sink, that has failed for longest, the longest first. Called by
// rpc/report-state.ts.

import { statement } from "@annals/postgres";

interface AccountRow {
  readonly account_id: string;
}

export const listFailingWebhooks = statement<[limit: number], AccountRow>(
  `/* webhooks.list-failing-webhooks */
SELECT account_id FROM webhooks.webhooks
WHERE active AND deleted_at IS NULL AND failing_since IS NOT NULL
GROUP BY account_id
ORDER BY min(failing_since), account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);

export const listFailingSinks = statement<[limit: number], AccountRow>(
  `/* webhooks.list-failing-sinks */
SELECT account_id FROM webhooks.sinks
WHERE active AND failing_since IS NOT NULL
GROUP BY account_id
ORDER BY min(failing_since), account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);
