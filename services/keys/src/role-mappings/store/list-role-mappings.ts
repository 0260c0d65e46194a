// One page of the role mappings of an account, newest first. `createdAt` and `id` are those of the last one
// of the page before, or null.

import { statement } from "@annals/postgres";
import type { RoleMappingRow } from "./role-mapping-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listRoleMappings = statement<Params, RoleMappingRow>(
  `/* keys.list-role-mappings */
SELECT id, provider, group_name, subject, role, created_at
FROM keys.role_mappings
WHERE account_id = $1::text AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "local" },
);
