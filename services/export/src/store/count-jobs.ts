// How many exports an account has, how many of them are not finished, and their bytes: of files, of what is
// being written, and of what is deleted and still there.

import { statement } from "@annals/postgres";

interface CountRow {
  readonly kept: number;
  readonly under_way: number;
  readonly bytes: string;
}

export const countJobs = statement<[accountId: string], CountRow>(
  `/* exports.count-jobs */
SELECT (count(*) FILTER (WHERE deleted_at IS NULL))::integer AS kept,
  (count(*) FILTER (WHERE deleted_at IS NULL AND status IN ('pending', 'running')))::integer AS under_way,
  coalesce(sum(coalesce(size_bytes, reserved_bytes)), 0)::bigint AS bytes
FROM exports.jobs
WHERE account_id = $1::text
`,
  { route: "one account" },
);
