// How many exports of all accounts are not completed, by status, and how long ago the oldest of each was
// created.

import { statement } from "@annals/postgres";

export interface JobsRow {
  readonly status: "pending" | "running" | "failed";
  readonly count: number;
  readonly oldest_s: number;
}

/** Returns no row for a status that no export has. */
export const measureJobs = statement<[], JobsRow>(
  `/* exports.measure-jobs */
SELECT status, count(*)::integer AS count,
  greatest(extract(epoch FROM statement_timestamp() - min(created_at::timestamptz)), 0)::double precision AS oldest_s
FROM exports.jobs
WHERE status IN ('pending', 'running', 'failed') AND deleted_at IS NULL
GROUP BY status
`,
  { route: "all accounts, read" },
);
