// The number of workloads of an account.

import { statement } from "@annals/postgres";

export const countWorkloads = statement<[accountId: string], { readonly workloads: string }>(
  `/* keys.count-workloads */
SELECT count(*) AS workloads FROM keys.workloads WHERE account_id = $1::text
`,
  { route: "local" },
);
