// How many webhooks of all accounts are in each state, and for how long the longest failing one has failed.

import { statement } from "@annals/postgres";

export interface WebhookStatesRow {
  readonly healthy: number;
  readonly failing: number;
  readonly disabled: number;
  readonly inactive: number;
  readonly failing_longest_s: number;
}

export const countWebhookStates = statement<[now: string], WebhookStatesRow>(
  `/* webhooks.count-webhook-states */
SELECT count(*) FILTER (WHERE active AND failing_since IS NULL)::integer AS healthy,
  count(*) FILTER (WHERE active AND failing_since IS NOT NULL)::integer AS failing,
  count(*) FILTER (WHERE NOT active AND disabled_at IS NOT NULL)::integer AS disabled,
  count(*) FILTER (WHERE NOT active AND disabled_at IS NULL)::integer AS inactive,
  greatest(extract(epoch FROM greatest(statement_timestamp(), $1::timestamptz)
    - min(failing_since) FILTER (WHERE active)), 0)::float8 AS failing_longest_s
FROM webhooks.webhooks
WHERE deleted_at IS NULL
`,
  { route: "all accounts, read" },
);
