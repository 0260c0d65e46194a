// The next exports after the given one whose files may be deleted: they are marked as deleted, and no worker
// holds a lease on them any longer.

import { statement } from "@annals/postgres";
import type { JobKey } from "./export-row.ts";

type Params = [afterAccountId: string, afterId: string, limit: number];

export const listDeletedJobs = statement<Params, JobKey>(
  `/* exports.list-deleted-jobs */
SELECT account_id, id FROM exports.jobs
WHERE deleted_at IS NOT NULL AND due_at <= statement_timestamp() AND (account_id, id) > ($1::text, $2::text)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);
