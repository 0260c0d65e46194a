// Deletes a widget token that expired before a time. No row: another replica did it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, expiredBefore: string];

export const deleteExpiredWidgetToken = statement<Params, { readonly id: string }>(
  `/* keys.delete-expired-widget-token */
DELETE FROM keys.widget_tokens
WHERE account_id = $1::text AND id = $2::text AND expires_at < $3::text
RETURNING id
`,
  { route: "local" },
);
