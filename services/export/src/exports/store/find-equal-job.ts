// An export of an account that has, or will have, the same events in the same form: the same text of
// the filter, which means the same, and the same last event. A field that is deleted and declared anew may be
// another one. Failed exports have no events. Of several, the oldest is returned.

import { statement } from "@annals/postgres";
import type { ExportFormat } from "@annals/contract";
import type { ExportRow } from "./export-row.ts";

type Params = [
  accountId: string,
  format: ExportFormat,
  includeProofs: boolean,
  filterJson: string,
  headSequence: string,
  headHash: string,
  filter: Uint8Array,
];

export const findEqualJob = statement<Params, ExportRow>(
  `/* exports.find-equal-job */
SELECT id, status, format, filter_json, include_proofs, created_at,
  event_count, sha256, size_bytes, completed_at, file
FROM exports.jobs
WHERE account_id = $1::text AND format = $2::text AND include_proofs = $3::boolean AND filter_json = $4::text
  AND head_sequence = $5::bigint AND head_hash = $6::text AND filter = $7::bytea
  AND status <> 'failed' AND deleted_at IS NULL
ORDER BY created_at, id
LIMIT 1
`,
  { route: "one account" },
);
