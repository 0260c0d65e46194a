// Ends a live widget token. The commit comes before the answer: no admission after it finds the token. No
// row: the account has no such token, or it has expired.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string];

export const deleteWidgetToken = statement<
  Params,
  { readonly id: string }
>(`/* keys.delete-widget-token */
DELETE FROM keys.widget_tokens
WHERE account_id = $1::text AND id = $2::text AND expires_at::timestamptz > clock_timestamp()
RETURNING id
`);
