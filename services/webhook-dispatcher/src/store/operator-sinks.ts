// The rows of the operator's sinks: one of each account for each sink. Called by workers/operator-sinks.ts.

import { statement } from "@annals/postgres";

/** Lists the rows that some accounts have. */
export const listOperatorSinks = statement<
  [accountIds: readonly string[]],
  { readonly account_id: string; readonly operator: string }
>(
  `/* webhooks.list-operator-sinks */
SELECT account_id, operator FROM webhooks.sinks WHERE account_id = ANY ($1::text[]) AND operator IS NOT NULL
`,
  { route: "some accounts" },
);

/** Adds the row of an account, which begins with its first event. Another replica may have done so already. */
export const createOperatorSink = statement<
  [accountId: string, id: string, operator: string, createdAt: string],
  never
>(
  `/* webhooks.create-operator-sink */
INSERT INTO webhooks.sinks (account_id, id, operator, leave_out, include_proof, active, created_at, cursor, checkpoint_from)
VALUES ($1::text, $2::text, $3::text, '{}', false, true, $4::text, 0, 1)
ON CONFLICT (account_id, operator) WHERE operator IS NOT NULL DO NOTHING
`,
  { route: "one account" },
);
