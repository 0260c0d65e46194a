// The erasures of some accounts that have not ended, in any order. No row: the account has none.

import { statement } from "@annals/postgres";

export interface ErasureStateRow {
  readonly account_id: string;
  readonly open: number;
  /** When the oldest of those that may begin might have; null if none may. */
  readonly due_at: string | null;
}

export const reportErasures = statement<[accountIds: readonly string[]], ErasureStateRow>(
  `/* ledger.report-erasures */
SELECT account_id, count(*)::integer AS open,
  to_char(min(begins_at) FILTER (WHERE begins_at < statement_timestamp()) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS due_at
FROM ledger.erasures
WHERE account_id = ANY ($1::text[]) AND status IN ('pending', 'running')
GROUP BY account_id
`,
  { route: "some accounts" },
);
