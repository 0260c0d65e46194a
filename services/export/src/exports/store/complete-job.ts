// Marks a job completed, once, and only for the holder of its lease. No row: another replica holds it now.

import { statement } from "@annals/postgres";
import type { ExportRow } from "./export-row.ts";

type Params = [
  accountId: string,
  id: string,
  leaseToken: string,
  completedAt: string,
  eventCount: string,
  sha256: string,
  sizeBytes: string,
  file: string,
];

export const completeJob = statement<Params, ExportRow>(
  `/* exports.complete-job */
UPDATE exports.jobs
SET status = 'completed', completed_at = $4::text, event_count = $5::bigint, sha256 = $6::text,
  size_bytes = $7::bigint, file = $8::text
WHERE account_id = $1::text AND id = $2::text AND lease_token = $3::bigint AND status = 'running'
RETURNING id, status, format, filter_json, include_proofs, created_at,
  event_count, sha256, size_bytes, completed_at, file
`,
  { route: "one account" },
);
