// The plans that some accounts name: null for the default one. An unknown account has no row.

import { statement } from "@annals/postgres";

export interface PlanOfRow {
  readonly account_id: string;
  readonly plan: string | null;
}

export const listPlansOf = statement<[accountIds: readonly string[]], PlanOfRow>(
  `/* keys.list-plans-of */
SELECT account_id, plan FROM keys.accounts WHERE account_id = ANY ($1::text[])
`,
  { route: "local" },
);
