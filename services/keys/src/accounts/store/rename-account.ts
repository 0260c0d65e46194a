// Renames an account. No row: no such account.

import { statement } from "@annals/postgres";

interface RenamedRow {
  readonly name_before: string;
}

type Params = [accountId: string, name: string];

export const renameAccount = statement<Params, RenamedRow>(
  `/* keys.rename-account */
WITH before AS (SELECT name FROM keys.accounts WHERE account_id = $1::text FOR NO KEY UPDATE)
UPDATE keys.accounts SET name = $2::text FROM before
WHERE account_id = $1::text
RETURNING before.name AS name_before
`,
  { route: "local" },
);
