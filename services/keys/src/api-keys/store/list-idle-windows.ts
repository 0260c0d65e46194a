// The next rate windows after the one given that ended long ago. By the primary key: an index by time would
// make each admission write to it.

import { statement } from "@annals/postgres";

interface WindowName {
  readonly account_id: string;
  readonly key_id: string;
}

type Params = [afterAccountId: string, afterKeyId: string, limit: number];

export const listIdleWindows = statement<Params, WindowName>(
  `/* keys.list-idle-windows */
SELECT account_id, key_id FROM keys.rate_windows
WHERE (account_id, key_id) > ($1::text, $2::text) AND started_at < statement_timestamp() - interval '1 day'
ORDER BY account_id, key_id
LIMIT $3::integer
`,
  { route: "local" },
);
