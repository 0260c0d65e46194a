// Deletes some of what was valid once, and is not valid any longer whether it was used or not.

import { statement } from "@annals/postgres";

export const deleteExpiredUsedTokens = statement<[limit: number], { readonly gone: true }>(
  `/* keys.delete-expired-used-tokens */
DELETE FROM keys.used_tokens WHERE sha256 IN (
  SELECT sha256 FROM keys.used_tokens WHERE expires_at < statement_timestamp()
  ORDER BY expires_at LIMIT $1::integer)
RETURNING true AS gone
`,
  { route: "local" },
);
