// Takes a lease on the job that has waited longest; jobs of accounts with nothing under way come first. Any
// number of replicas may do so at once: each gets another job. No row: no job is due.

import { statement } from "@annals/postgres";
import type { ExportFormat } from "@annals/contract";

export interface TakenRow {
  readonly account_id: string;
  readonly id: string;
  readonly format: ExportFormat;
  readonly include_proofs: boolean;
  readonly filter_json: string;
  readonly filter: Buffer;
  readonly head_sequence: string;
  readonly head_hash: string;
  readonly created_at: string;
  /** Fences off earlier holders: each lease has its own. */
  readonly lease_token: string;
  /** This one included. */
  readonly attempts: number;
}

export const takeJob = statement<[leaseMs: number], TakenRow>(
  `/* exports.take-job */
UPDATE exports.jobs AS job
SET status = 'running', lease_token = job.lease_token + 1, attempts = job.attempts + 1,
  due_at = clock_timestamp() + $1::integer * interval '1 millisecond'
FROM (
  SELECT account_id, id FROM exports.jobs AS waiting
  WHERE status IN ('pending', 'running') AND due_at <= clock_timestamp()
  ORDER BY account_id IN (
      SELECT account_id FROM exports.jobs WHERE status = 'running' AND due_at > clock_timestamp()
    ), due_at, id
  LIMIT 1
  FOR UPDATE SKIP LOCKED
) AS next
WHERE job.account_id = next.account_id AND job.id = next.id
RETURNING job.account_id, job.id, format, include_proofs, filter_json, filter, head_sequence, head_hash, created_at,
  lease_token, attempts
`,
);
