// Takes erased values out of the filter index, by a call of ledger.unindex: a segment in a transaction.
// Called by worker/erasures.ts.

import { statement } from "@annals/postgres";

/** Returns how many values of one segment it has taken out; 0: none is left in the index. */
export const unindex = statement<[accountId: string], { readonly taken: string }>(
  `/* ledger.unindex */
SELECT ledger.unindex($1::text COLLATE "C") AS taken
`,
  { route: "one account" },
);
