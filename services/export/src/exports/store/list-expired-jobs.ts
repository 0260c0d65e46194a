// The next exports after the given one that were created before a time, of all accounts, whatever their
// status, oldest first.

import { statement } from "@annals/postgres";
import type { JobKey } from "./export-row.ts";

type Params = [
  createdBefore: string,
  afterCreatedAt: string,
  afterAccountId: string,
  afterId: string,
  limit: number,
];

export const listExpiredJobs = statement<Params, JobKey & { readonly created_at: string }>(
  `/* exports.list-expired-jobs */
SELECT account_id, id, created_at FROM exports.jobs
WHERE created_at < $1::text AND deleted_at IS NULL AND (created_at, account_id, id) > ($2::text, $3::text, $4::text)
ORDER BY created_at, account_id, id
LIMIT $5::integer
`,
  { route: "all accounts, read" },
);
