// Stores a new role mapping. Admissions that begin after the commit find it.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  provider: string,
  group: string | null,
  subject: string | null,
  role: string,
  /** The id of a key or a person; null for the operator. */
  createdBy: string | null,
  createdAt: string,
];

export const createRoleMapping = statement<Params, never>(
  `/* keys.create-role-mapping */
INSERT INTO keys.role_mappings (account_id, id, provider, group_name, subject, role, created_by, created_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text)
`,
  { route: "local" },
);
