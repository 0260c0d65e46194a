// How far the chain of each account reaches, in the order of the parameter; 0 for an account without a chain.

import { statement } from "@annals/postgres";

export const getHeadSequences = statement<
  [accountIds: readonly string[]],
  { readonly sequence_number: string }
>(
  `/* ledger.get-head-sequences */
SELECT coalesce(heads.sequence_number, 0) AS sequence_number
FROM unnest($1::text[]) WITH ORDINALITY AS asked (account_id, ordinal)
LEFT JOIN ledger.heads USING (account_id)
ORDER BY ordinal
`,
  { route: "some accounts" },
);
