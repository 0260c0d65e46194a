// Gives an account another plan; null is the default. No row: no such account.

import { statement } from "@annals/postgres";

type Params = [accountId: string, plan: string | null];

interface ChangedRow {
  readonly plan_before: string | null;
}

export const setPlan = statement<Params, ChangedRow>(
  `/* keys.set-plan */
WITH before AS (SELECT plan FROM keys.accounts WHERE account_id = $1::text FOR NO KEY UPDATE)
UPDATE keys.accounts SET plan = $2::text FROM before
WHERE account_id = $1::text
RETURNING before.plan AS plan_before
`,
  { route: "local" },
);
