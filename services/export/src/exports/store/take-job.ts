// Takes a lease on the job of an account that has waited longest. While one of them waits for room, only
// one is written at a time. Call it under the lock of the account. No row: no job of the account may be
// taken now.

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
  /** Number of attempts, this one included. */
  readonly attempts: number;
  /** Maximum bytes of all files of the account, by its plan; null if the plan sets no maximum. */
  readonly max_bytes: string | null;
  /** True if an attempt was put back, because other exports of the account had reserved the room. */
  readonly waits_for_room: boolean;
}

export const takeJob = statement<[accountId: string, leaseMs: number], TakenRow>(
  `/* exports.take-job */
UPDATE exports.jobs
SET status = 'running', lease_token = lease_token + 1, attempts = attempts + 1, taken_at = statement_timestamp(),
  due_at = statement_timestamp() + $2::integer * interval '1 millisecond'
WHERE account_id = $1::text AND id = (
  SELECT id FROM exports.jobs AS waiting
  WHERE account_id = $1::text AND status IN ('pending', 'running') AND due_at <= statement_timestamp()
    AND NOT (
      EXISTS (SELECT 1 FROM exports.jobs WHERE account_id = $1::text AND status IN ('pending', 'running') AND waits_for_room)
      AND EXISTS (SELECT 1 FROM exports.jobs WHERE account_id = $1::text AND status = 'running' AND due_at > statement_timestamp())
    )
  ORDER BY due_at, id
  LIMIT 1
  FOR UPDATE SKIP LOCKED
)
RETURNING account_id, id, format, include_proofs, filter_json, filter, head_sequence, head_hash, created_at,
  lease_token, attempts, max_bytes, waits_for_room
`,
  { route: "one account" },
);
