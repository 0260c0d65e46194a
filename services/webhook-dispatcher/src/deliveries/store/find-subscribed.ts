// Finds which of the given patterns the active webhooks of many accounts subscribe to.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[], patterns: readonly string[]];

export interface SubscribedRow {
  readonly account_id: string;
  readonly pattern: string;
}

export const findSubscribed = statement<Params, SubscribedRow>(
  `/* webhooks.find-subscribed */
SELECT DISTINCT account_id, pattern
FROM webhooks.webhooks CROSS JOIN unnest(events) AS pattern
WHERE account_id = ANY ($1::text[]) AND active AND deleted_at IS NULL AND pattern = ANY ($2::text[])
`,
  { route: "some accounts" },
);
