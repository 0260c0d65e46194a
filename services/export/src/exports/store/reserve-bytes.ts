// Sets how large the file of a running job may grow. Call it under the lock of the account, once it is known
// that the account has room. No row: another replica holds the job, or it was deleted.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, leaseToken: string, bytes: string];

export const reserveBytes = statement<Params, { readonly id: string }>(
  `/* exports.reserve-bytes */
UPDATE exports.jobs SET reserved_bytes = $4::bigint
WHERE account_id = $1::text AND id = $2::text AND lease_token = $3::bigint AND status = 'running'
RETURNING id
`,
  { route: "one account" },
);
