// Releases a job: for a retry after a delay, or as failed for good. `countAttempt` is false if the
// attempt ended because the process drains, or because other exports of the account have reserved its room.
// No row: this replica has lost the lease.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  leaseToken: string,
  status: "pending" | "failed",
  delayMs: number,
  countAttempt: boolean,
  waitsForRoom: boolean,
];

export const releaseJob = statement<Params, { readonly id: string }>(
  `/* exports.release-job */
UPDATE exports.jobs
SET status = $4::text, due_at = statement_timestamp() + $5::integer * interval '1 millisecond',
  attempts = CASE WHEN $6::boolean THEN attempts ELSE attempts - 1 END,
  waits_for_room = waits_for_room OR $7::boolean
WHERE account_id = $1::text AND id = $2::text AND lease_token = $3::bigint AND status = 'running'
RETURNING id
`,
  { route: "one account" },
);
