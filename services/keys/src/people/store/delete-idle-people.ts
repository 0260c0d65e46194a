// Deletes some people who have not logged in since a time and have no session. A blocked person stays:
// forgotten, that person could log in again.

import { statement } from "@annals/postgres";

type Params = [lastLoginBefore: string, limit: number];

export const deleteIdlePeople = statement<Params, { readonly id: string }>(
  `/* keys.delete-idle-people */
DELETE FROM keys.people WHERE id IN (
  SELECT person.id FROM keys.people AS person
  WHERE person.last_login_at < $1::text AND person.blocked_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM keys.sessions AS session WHERE session.person_id = person.id)
  ORDER BY person.last_login_at LIMIT $2::integer)
RETURNING id
`,
  { route: "local" },
);
