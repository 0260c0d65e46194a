// Deletes the rate window of a key that was not used for a day; it ended after a minute. If the key is
// used at this moment the row is newer, and stays. No row: it stayed, or another replica did it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, keyId: string];

export const deleteIdleWindow = statement<Params, { readonly key_id: string }>(
  `/* keys.delete-idle-window */
DELETE FROM keys.rate_windows
WHERE account_id = $1::text AND key_id = $2::text AND started_at < statement_timestamp() - interval '1 day'
RETURNING key_id
`,
  { route: "local" },
);
