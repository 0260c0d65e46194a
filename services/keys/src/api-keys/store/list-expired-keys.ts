// Some of the keys that were revoked before a time, of all accounts. Keys whose secret an operator gave are
// not among them.

import { statement } from "@annals/postgres";

export interface KeyName {
  readonly account_id: string;
  readonly id: string;
}

type Params = [revokedBefore: string, limit: number];

export const listExpiredKeys = statement<Params, KeyName>(
  `/* keys.list-expired-keys */
SELECT account_id, id FROM keys.api_keys
WHERE revoked_at < $1::text AND is_minted
ORDER BY revoked_at
LIMIT $2::integer
`,
  { route: "local" },
);
