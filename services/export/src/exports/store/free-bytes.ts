// Records that nothing is left of the attempt that had this lease. Call it after its files are deleted.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, leaseToken: string];

export const freeBytes = statement<Params, never>(
  `/* exports.free-bytes */
UPDATE exports.jobs SET reserved_bytes = 0
WHERE account_id = $1::text AND id = $2::text AND lease_token = $3::bigint AND status IN ('pending', 'failed')
`,
  { route: "one account" },
);
