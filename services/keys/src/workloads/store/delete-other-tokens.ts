// Deletes what a token was registered as before, if another workload counts now.

import { statement } from "@annals/postgres";

type Params = [accountId: string, secretSha256: Uint8Array, id: string];

export const deleteOtherTokens = statement<Params, never>(
  `/* keys.delete-other-tokens */
DELETE FROM keys.access_tokens WHERE account_id = $1::text AND secret_sha256 = $2::bytea AND id <> $3::text
`,
  { route: "local" },
);
