// The number of role mappings of an account.

import { statement } from "@annals/postgres";

export const countRoleMappings = statement<[accountId: string], { readonly mappings: string }>(
  `/* keys.count-role-mappings */
SELECT count(*) AS mappings FROM keys.role_mappings WHERE account_id = $1::text
`,
  { route: "local" },
);
