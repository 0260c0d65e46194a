// Deletes a role mapping. Admissions that begin after the commit do not find it. No row: there is none.

import { statement } from "@annals/postgres";
import type { RoleMappingRow } from "./role-mapping-row.ts";

type Params = [accountId: string, id: string];

export const deleteRoleMapping = statement<Params, RoleMappingRow>(
  `/* keys.delete-role-mapping */
DELETE FROM keys.role_mappings WHERE account_id = $1::text AND id = $2::text
RETURNING id, provider, group_name, subject, role, created_at
`,
  { route: "local" },
);
