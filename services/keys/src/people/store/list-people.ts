// People who have a role in an account, newest first. It reads a bounded number of people after the given
// one, so that a page costs the same however many an installation has; a row of its own says where it ended,
// if people follow.

import { statement } from "@annals/postgres";
import type { EntryParams } from "../../store/file-entries.ts";
import { acceptedProvider, mappedRole } from "../../store/mapped-role.ts";

type Params = [
  accountId: string,
  createdAt: string | null,
  id: string | null,
  /** People that are read, and those that are returned. */
  read: number,
  limit: number,
  ...EntryParams,
];

export interface PersonRow {
  readonly id: string;
  readonly created_at: string;
  /** Whether it is where the reading ended: the rest is null then. */
  readonly is_end: boolean;
  readonly provider: string | null;
  readonly subject: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly last_login_at: string | null;
  readonly role: string | null;
  readonly mapping_id: string | null;
}

export const listPeople = statement<Params, PersonRow>(
  `/* keys.list-people */
WITH seen AS MATERIALIZED (
  SELECT id, issuer, subject, provider, name, email, groups, created_at, last_login_at, blocked_at
  FROM keys.people
  WHERE $2::text IS NULL OR (created_at, id) < ($2::text, $3::text)
  ORDER BY created_at DESC, id DESC
  LIMIT $4::integer
)
(SELECT person.id, person.created_at, false AS is_end, person.provider, person.subject, person.name, person.email,
  person.last_login_at, mapped.role, mapped.id AS mapping_id
FROM seen AS person
${acceptedProvider("$1::text", 6)}
${mappedRole("$1::text")}
WHERE person.blocked_at IS NULL
ORDER BY person.created_at DESC, person.id DESC
LIMIT $5::integer)
UNION ALL
(SELECT id, created_at, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM seen
WHERE (SELECT count(*) FROM seen) = $4::integer
ORDER BY created_at, id
LIMIT 1)
`,
  { route: "local" },
);
