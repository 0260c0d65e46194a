// One job of an account.

import { statement } from "@annals/postgres";
import type { ExportRow } from "./export-row.ts";

export const getJob = statement<[accountId: string, id: string], ExportRow>(
  `/* exports.get-job */
SELECT id, status, format, filter_json, include_proofs, created_at,
  event_count, sha256, size_bytes, completed_at, file
FROM exports.jobs
WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NULL
`,
  { route: "one account" },
);
