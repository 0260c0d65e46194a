// Makes an account's row of lifecycles before its first record, by a call of the function
// ledger.begin_lifecycle. Only events after the head of that moment are records.

import { statement } from "@annals/postgres";

export const beginLifecycle = statement<[accountId: string], unknown>(
  `/* ledger.begin-lifecycle */
SELECT ledger.begin_lifecycle($1::text COLLATE "C")
`,
  { route: "one account" },
);
