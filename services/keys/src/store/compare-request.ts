// Whether an account was made by a request that asked for the same. One that was made before requests were
// compared counts as such.

import { statement } from "@annals/postgres";

type Params = [accountId: string, requestSha256: Uint8Array];

export const compareRequest = statement<Params, { readonly is_same: boolean }>(
  `/* keys.compare-request */
SELECT coalesce(request_sha256 = $2::bytea, true) AS is_same FROM keys.accounts WHERE account_id = $1::text
`,
  { route: "local" },
);
