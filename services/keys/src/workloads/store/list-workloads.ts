// One page of the workloads of an account, newest first. `createdAt` and `id` are those of the last one of
// the page before, or null.

import { statement } from "@annals/postgres";
import { WORKLOAD_COLUMNS, type WorkloadRow } from "./workload-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listWorkloads = statement<Params, WorkloadRow>(
  `/* keys.list-workloads */
SELECT ${WORKLOAD_COLUMNS}
FROM keys.workloads
WHERE account_id = $1::text AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "local" },
);
