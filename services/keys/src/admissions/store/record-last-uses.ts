// Records the day on which keys were last used: of each key once a day, and never an earlier day. A row that
// another transaction has locked is left out, since the next use of its key on that day gives it again.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[], ids: readonly string[], days: readonly string[]];

export const recordLastUses = statement<Params, { readonly id: string }>(
  `/* keys.record-last-uses */
WITH used AS (
  SELECT api_keys.account_id, api_keys.id, given.day
  FROM unnest($1::text[], $2::text[], $3::text[]) AS given (account_id, id, day)
  JOIN keys.api_keys ON api_keys.account_id = given.account_id AND api_keys.id = given.id
    AND (api_keys.last_used_on IS NULL OR api_keys.last_used_on < given.day)
  ORDER BY api_keys.account_id, api_keys.id
  FOR NO KEY UPDATE OF api_keys SKIP LOCKED
)
UPDATE keys.api_keys SET last_used_on = used.day
FROM used
WHERE api_keys.account_id = used.account_id AND api_keys.id = used.id
RETURNING api_keys.id
`,
  { route: "local" },
);
