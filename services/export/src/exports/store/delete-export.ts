// Marks an export as deleted: after the commit no client sees it, and no worker takes or completes it. An
// export that is being written loses its lease; `due_at` stays the end of that lease. No row: the account has
// no such export.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  deletedAt: string,
  /** The id of the key that deleted it; null if it expired. */
  deletedBy: string | null,
];

// OFFSET keeps PostgreSQL from moving the clock into CASE, where a distributed PostgreSQL takes none: it
// would run the subquery by itself, before the rest.
export const deleteExport = statement<Params, { readonly id: string }>(
  `/* exports.delete-export */
UPDATE exports.jobs AS job
SET deleted_at = $3::text,
  deleted_by = $4::text,
  status = CASE WHEN status = 'completed' THEN status ELSE 'failed' END,
  due_at = CASE WHEN status = 'running' THEN due_at ELSE moment.now END
FROM (SELECT statement_timestamp() AS now OFFSET 0) AS moment
WHERE job.account_id = $1::text AND job.id = $2::text AND deleted_at IS NULL
RETURNING job.id
`,
  { route: "one account" },
);
