// The accounts in which a person has a role, by their names, with the mapping that gives it. Those of a
// limit.

import { statement } from "@annals/postgres";
import type { EntryParams } from "../../store/file-entries.ts";
import { acceptedProvider, mappedRole } from "../../store/mapped-role.ts";

type Params = [personId: string, limit: number, ...EntryParams];

export interface SessionAccountRow {
  readonly account_id: string;
  readonly name: string;
  readonly role: string;
  readonly mapping_id: string;
  /** Null if the mapping names the person. */
  readonly group_name: string | null;
}

export const listSessionAccounts = statement<Params, SessionAccountRow>(
  `/* keys.list-session-accounts */
SELECT account.account_id, account.name, mapped.role, mapped.id AS mapping_id, mapped.group_name
FROM keys.people AS person
JOIN keys.accounts AS account ON account.account_id IN (
  SELECT mapping.account_id FROM keys.role_mappings AS mapping
  WHERE mapping.provider = person.provider
    AND (mapping.subject = person.subject OR mapping.group_name = ANY (person.groups)))
${acceptedProvider("account.account_id", 3)}
${mappedRole("account.account_id")}
WHERE person.id = $1::text
ORDER BY account.name, account.account_id
LIMIT $2::integer
`,
  { route: "local" },
);
