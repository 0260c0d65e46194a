// The exports that wait or are being written: those of some accounts, and the accounts whose oldest has
// waited for longest. No row: the account has none. Called by rpc/report-state.ts.

import { statement } from "@annals/postgres";

export interface ExportStateRow {
  readonly account_id: string;
  readonly open: number;
  readonly oldest_created_at: string;
}

const OPEN = "status IN ('pending', 'running') AND deleted_at IS NULL";

export const reportExports = statement<[accountIds: readonly string[]], ExportStateRow>(
  `/* exports.report-exports */
SELECT account_id, count(*)::integer AS open, min(created_at) AS oldest_created_at
FROM exports.jobs
WHERE account_id = ANY ($1::text[]) AND ${OPEN}
GROUP BY account_id
`,
  { route: "some accounts" },
);

export const listLateExports = statement<[limit: number], ExportStateRow>(
  `/* exports.list-late-exports */
SELECT account_id, count(*)::integer AS open, min(created_at) AS oldest_created_at
FROM exports.jobs
WHERE ${OPEN}
GROUP BY account_id
ORDER BY oldest_created_at, account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);
