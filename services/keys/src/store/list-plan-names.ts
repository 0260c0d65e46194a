// The plans that accounts name, each with the number of accounts that do.

import { statement } from "@annals/postgres";

export interface PlanNameRow {
  readonly plan: string;
  readonly accounts: string;
}

export const listPlanNames = statement<[], PlanNameRow>(
  `/* keys.list-plan-names */
SELECT plan, count(*) AS accounts FROM keys.accounts WHERE plan IS NOT NULL GROUP BY plan ORDER BY plan
`,
  { route: "local" },
);
