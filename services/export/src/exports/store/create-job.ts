// Queues a job. Its range is in the filter, already bounded.

import { statement } from "@annals/postgres";
import type { ExportRow } from "./export-row.ts";

type Params = [
  accountId: string,
  id: string,
  format: string,
  includeProofs: boolean,
  filterJson: string,
  filter: Uint8Array,
  headSequence: string,
  headHash: string,
  createdAt: string,
  /** The id of the key that created it. */
  createdBy: string | null,
  maxBytes: string | null,
];

export const createJob = statement<Params, ExportRow>(
  `/* exports.create-job */
INSERT INTO exports.jobs
  (account_id, id, format, include_proofs, filter_json, filter, head_sequence, head_hash, created_at, created_by,
    max_bytes)
VALUES ($1::text, $2::text, $3::text, $4::boolean, $5::text, $6::bytea, $7::bigint, $8::text, $9::text, $10::text,
  $11::bigint)
RETURNING id, status, format, filter_json, include_proofs, created_at,
  event_count, sha256, size_bytes, completed_at, file
`,
  { route: "one account" },
);
