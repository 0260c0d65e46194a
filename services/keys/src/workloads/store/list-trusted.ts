// The workloads of an account that trust one of some issuers, oldest first: of several that a token is of,
// the oldest one counts.

import { statement } from "@annals/postgres";
import type { WorkloadRow } from "./workload-row.ts";

type Params = [accountId: string, issuers: readonly string[]];

export type TrustedRow = Pick<WorkloadRow, "claims" | "id" | "issuer" | "subject">;

export const listTrusted = statement<Params, TrustedRow>(
  `/* keys.list-trusted */
SELECT id, issuer, subject, claims
FROM keys.workloads
WHERE account_id = $1::text AND issuer = ANY ($2::text[])
ORDER BY created_at, id
`,
  { route: "local" },
);
