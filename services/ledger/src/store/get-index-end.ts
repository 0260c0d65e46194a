// How many chunks of an account the filter index has: the first ones, without a gap.

import { statement } from "@annals/postgres";

type Params = [accountId: string];

export const getIndexEnd = statement<
  Params,
  { readonly chunks: string }
>(`/* ledger.get-index-end */
SELECT coalesce(max(chunk) + 1, 0) AS chunks FROM ledger.chunks WHERE account_id = $1::text
`);
