// Notes what is valid once: the state of a login, the id of a logout token. No row: it was used before.

import { statement } from "@annals/postgres";

type Params = [sha256: Uint8Array, keptMinutes: number];

export const spendToken = statement<Params, { readonly spent: true }>(
  `/* keys.spend-token */
INSERT INTO keys.used_tokens (sha256, expires_at)
SELECT $1::bytea, moment.now + $2::integer * interval '1 minute'
FROM (SELECT statement_timestamp() AS now) AS moment
ON CONFLICT (sha256) DO NOTHING
RETURNING true AS spent
`,
  { route: "local" },
);
