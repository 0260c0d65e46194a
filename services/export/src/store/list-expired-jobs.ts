// Some of the exports that were created before a time, of all accounts, whatever their status.

import { statement } from "@annals/postgres";
import type { JobKey } from "./export-row.ts";

type Params = [createdBefore: string, limit: number];

export const listExpiredJobs = statement<Params, JobKey>(
  `/* exports.list-expired-jobs */
SELECT account_id, id FROM exports.jobs
WHERE created_at < $1::text AND deleted_at IS NULL
ORDER BY created_at
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
