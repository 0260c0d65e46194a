// The last position of each account's outbox, in the order of the parameter; 0 where there is none.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[]];

export const getOutboxPositions = statement<
  Params,
  { readonly position: string }
>(`/* exports.get-outbox-positions */
SELECT coalesce((
    SELECT position FROM exports.outbox
    WHERE outbox.account_id = asked.account_id
    ORDER BY position DESC
    LIMIT 1
  ), 0) AS position
FROM unnest($1::text[]) WITH ORDINALITY AS asked (account_id, place)
ORDER BY place
`);
