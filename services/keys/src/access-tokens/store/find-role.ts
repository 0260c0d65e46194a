// The role of a person in an account, as admit-access-requests.ts finds it. No row: there is none, or no such
// account.

import { statement } from "@annals/postgres";
import type { EntryParams } from "../../store/file-entries.ts";
import { acceptedProvider, mappedRole } from "../../store/mapped-role.ts";

type Params = [accountId: string, personId: string, ...EntryParams];

export const findRole = statement<Params, { readonly role: string }>(
  `/* keys.find-role */
SELECT mapped.role
FROM keys.accounts AS account
JOIN keys.people AS person ON person.id = $2::text
${acceptedProvider("account.account_id", 3)}
${mappedRole("account.account_id")}
WHERE account.account_id = $1::text
`,
  { route: "local" },
);
