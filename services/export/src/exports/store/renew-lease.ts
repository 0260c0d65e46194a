// Renews the lease of a job. No row: another replica has it now, or the job is finished.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, leaseToken: string, leaseMs: number];

export const renewLease = statement<Params, { readonly id: string }>(
  `/* exports.renew-lease */
UPDATE exports.jobs SET due_at = statement_timestamp() + $4::integer * interval '1 millisecond'
WHERE account_id = $1::text AND id = $2::text AND lease_token = $3::bigint AND status = 'running'
RETURNING id
`,
  { route: "one account" },
);
