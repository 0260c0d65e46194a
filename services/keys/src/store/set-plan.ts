// Gives an account another plan; null is the default. No row: no such account.

import { statement } from "@annals/postgres";

type Params = [accountId: string, plan: string | null];

export const setPlan = statement<Params, { readonly account_id: string }>(`/* keys.set-plan */
UPDATE keys.accounts SET plan = $2::text WHERE account_id = $1::text RETURNING account_id
`);
