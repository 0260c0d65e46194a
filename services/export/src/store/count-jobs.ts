// How many exports an account has, and how many of them are not finished.

import { statement } from "@annals/postgres";

interface CountRow {
  readonly kept: number;
  readonly under_way: number;
}

export const countJobs = statement<[accountId: string], CountRow>(`/* exports.count-jobs */
SELECT count(*)::integer AS kept,
  (count(*) FILTER (WHERE status IN ('pending', 'running')))::integer AS under_way
FROM exports.jobs
WHERE account_id = $1::text AND deleted_at IS NULL
`);
