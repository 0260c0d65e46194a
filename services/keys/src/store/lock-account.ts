// Reads an account and locks it until the transaction ends: others that add a key to it wait. No row: no such
// account.

import { statement } from "@annals/postgres";

export interface LockedAccountRow {
  readonly plan: string | null;
}

// NO KEY: a row that only refers to the account, as every new key does, need not wait.
export const lockAccount = statement<[accountId: string], LockedAccountRow>(
  `/* keys.lock-account */
SELECT plan FROM keys.accounts WHERE account_id = $1::text FOR NO KEY UPDATE
`,
  { route: "local" },
);
