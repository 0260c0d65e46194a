// The active webhooks and sinks of some accounts, and which have failed since their last success, in any
// order. No row: the account has none. Called by rpc/report-state.ts.

import { statement } from "@annals/postgres";

export interface ReceiverStateRow {
  readonly account_id: string;
  readonly count: number;
  readonly failing: number;
  readonly failing_since: string | null;
}

export interface SinkStateRow extends ReceiverStateRow {
  readonly sent_events: string;
}

const COUNTS = `account_id, count(*)::integer AS count, count(failing_since)::integer AS failing,
  to_char(min(failing_since) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS failing_since`;

export const reportWebhooks = statement<[accountIds: readonly string[]], ReceiverStateRow>(
  `/* webhooks.report-webhooks */
SELECT ${COUNTS}
FROM webhooks.webhooks
WHERE account_id = ANY ($1::text[]) AND active AND deleted_at IS NULL
GROUP BY account_id
`,
  { route: "some accounts" },
);

export const reportSinks = statement<[accountIds: readonly string[]], SinkStateRow>(
  `/* webhooks.report-sinks */
SELECT ${COUNTS}, min(cursor) AS sent_events
FROM webhooks.sinks
WHERE account_id = ANY ($1::text[]) AND active
GROUP BY account_id
`,
  { route: "some accounts" },
);
