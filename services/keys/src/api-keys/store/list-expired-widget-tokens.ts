// Some of the widget tokens that expired before a time, of all accounts.

import { statement } from "@annals/postgres";

interface TokenName {
  readonly account_id: string;
  readonly id: string;
}

type Params = [expiredBefore: string, limit: number];

export const listExpiredWidgetTokens = statement<Params, TokenName>(
  `/* keys.list-expired-widget-tokens */
SELECT account_id, id FROM keys.widget_tokens
WHERE expires_at < $1::text
ORDER BY expires_at
LIMIT $2::integer
`,
  { route: "local" },
);
