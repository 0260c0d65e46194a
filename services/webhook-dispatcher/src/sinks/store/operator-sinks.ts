// The rows of the operator's sinks: one of each account for each sink. Called by worker/operator-sinks.ts.

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

/** Adds the row of an account, unless another replica has added it. */
export const createOperatorSink = statement<
  [
    accountId: string,
    id: string,
    operator: string,
    createdAt: string,
    /** The event before the first one that is sent. */
    cursor: bigint,
  ],
  never
>(
  `/* webhooks.create-operator-sink */
INSERT INTO webhooks.sinks (account_id, id, operator, leave_out, include_proof, active, created_at, cursor, checkpoint_from)
VALUES ($1::text, $2::text, $3::text, '{}', false, true, $4::text, $5::bigint, $5::bigint + 1)
ON CONFLICT (account_id, operator) WHERE operator IS NOT NULL DO NOTHING
`,
  { route: "one account" },
);

export interface OperatorSinkState {
  readonly account_id: string;
  readonly operator: string;
  readonly cursor: string;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  readonly last_error: string | null;
  /** JSON text (rules/sink-refusals.ts); null: nothing is refused. */
  readonly refusals: string | null;
  /** UTC with six fraction digits. */
  readonly last_delivered_at: string | null;
}

/** Lists how far they are, after one. */
export const listOperatorSinkStates = statement<
  [afterAccountId: string, afterOperator: string, limit: number],
  OperatorSinkState
>(
  `/* webhooks.list-operator-sink-states */
SELECT account_id, operator, cursor, attempts, last_error, refusals,
  to_char(last_delivered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_delivered_at
FROM webhooks.sinks
WHERE operator IS NOT NULL AND (account_id, operator) > ($1::text, $2::text)
ORDER BY account_id, operator
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);
