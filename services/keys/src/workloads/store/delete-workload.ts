// Deletes a workload with its tokens. Admissions that begin after the commit find neither. No row: there is
// none.

import { statement } from "@annals/postgres";
import { WORKLOAD_COLUMNS, type WorkloadRow } from "./workload-row.ts";

type Params = [accountId: string, id: string];

export const deleteWorkload = statement<Params, WorkloadRow>(
  `/* keys.delete-workload */
DELETE FROM keys.workloads WHERE account_id = $1::text AND id = $2::text
RETURNING ${WORKLOAD_COLUMNS}
`,
  { route: "local" },
);
