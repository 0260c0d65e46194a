// Ends a live widget token, of any key or of the one that is named. The commit comes before the response: no
// admission after it finds the token. No row: there is no such token, it has expired, or another key made it.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  /** Null for any key. */
  createdBy: string | null,
];

export const deleteWidgetToken = statement<Params, { readonly id: string }>(
  `/* keys.delete-widget-token */
DELETE FROM keys.widget_tokens
WHERE account_id = $1::text AND id = $2::text AND expires_at::timestamptz > clock_timestamp()
  AND ($3::text IS NULL OR created_by = $3::text)
RETURNING id
`,
  { route: "local" },
);
