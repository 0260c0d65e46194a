// A page of an account's jobs, newest first. `createdAt` and `id` are those of the last job of the
// previous page, or null.

import { statement } from "@annals/postgres";
import type { ExportRow } from "./export-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listJobs = statement<Params, ExportRow>(
  `/* exports.list-jobs */
SELECT id, status, format, filter_json, include_proofs, created_at,
  event_count, sha256, size_bytes, completed_at, file
FROM exports.jobs
WHERE account_id = $1::text AND deleted_at IS NULL
  AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "one account" },
);
