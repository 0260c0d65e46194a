// How far the chains of some accounts reach, in any order. No row: the account has no chain.

import { statement } from "@annals/postgres";

export const getHeadSequences = statement<
  [accountIds: readonly string[]],
  { readonly account_id: string; readonly sequence_number: string }
>(
  `/* ledger.get-head-sequences */
SELECT account_id, sequence_number FROM ledger.heads WHERE account_id = ANY ($1::text[])
`,
  { route: "some accounts" },
);
