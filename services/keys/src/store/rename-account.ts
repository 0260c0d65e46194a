// Renames an account. No row: no such account.

import { statement } from "@annals/postgres";

type Params = [accountId: string, name: string];

export const renameAccount = statement<
  Params,
  { readonly account_id: string }
>(`/* keys.rename-account */
UPDATE keys.accounts SET name = $2::text WHERE account_id = $1::text RETURNING account_id
`);
