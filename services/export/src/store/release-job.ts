// Gives a job back: to be tried again after a pause, or for good as failed. `countAttempt` is false
// where the attempt was cut short by ourselves. No row: it is not ours any more.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  leaseToken: string,
  status: "pending" | "failed",
  pauseMs: number,
  countAttempt: boolean,
];

export const releaseJob = statement<Params, { readonly id: string }>(`/* exports.release-job */
UPDATE exports.jobs
SET status = $4::text, due_at = clock_timestamp() + $5::integer * interval '1 millisecond',
  attempts = CASE WHEN $6::boolean THEN attempts ELSE attempts - 1 END
WHERE account_id = $1::text AND id = $2::text AND lease_token = $3::bigint AND status = 'running'
RETURNING id
`);
