// One page of all people, newest first. `createdAt` and `id` are those of the last person of the page before,
// or null.

import { statement } from "@annals/postgres";

type Params = [createdAt: string | null, id: string | null, limit: number];

export interface KnownPersonRow {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly created_at: string;
  readonly last_login_at: string;
  readonly blocked_at: string | null;
  readonly live_sessions: number;
}

export const listAllPeople = statement<Params, KnownPersonRow>(
  `/* keys.list-all-people */
SELECT person.id, person.provider, person.subject, person.name, person.email, person.created_at, person.last_login_at,
  person.blocked_at,
  (SELECT count(*)::integer FROM keys.sessions AS session
    WHERE session.person_id = person.id AND least(session.idle_at, session.expires_at) > clock_timestamp()
  ) AS live_sessions
FROM keys.people AS person
WHERE $1::text IS NULL OR (created_at, id) < ($1::text, $2::text)
ORDER BY created_at DESC, id DESC
LIMIT $3::integer
`,
  { route: "local" },
);
