// Deletes what the last annals.retention of an account names, a chunk at most, by a call of the function
// ledger.expire. It returns how many events it has deleted: 0 once nothing is left.

import { statement } from "@annals/postgres";

export const expire = statement<[accountId: string], { readonly deleted: string }>(
  `/* ledger.expire */
SELECT ledger.expire($1::text COLLATE "C") AS deleted
`,
  { route: "one account" },
);
