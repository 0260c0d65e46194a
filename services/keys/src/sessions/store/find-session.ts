// The session whose cookie has a secret, now or until it was replaced, with its person. No row: there is
// none, it has ended, or the person is blocked.

import { statement } from "@annals/postgres";
import type { Realm } from "../rules/realm.ts";

type Params = [secretSha256: Uint8Array, realm: Realm];

export interface SessionRow {
  readonly id: string;
  readonly person_id: string;
  /** Whether the secret is that of the cookie now. */
  readonly is_current: boolean;
  /** Seconds since the secret of the cookie was replaced last, or the session began. */
  readonly rotated_s: number;
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly groups: readonly string[];
  /** UTC with six fraction digits. */
  readonly expires_at: string;
  readonly idle_at: string;
}

export const findSession = statement<Params, SessionRow>(
  `/* keys.find-session */
SELECT session.id, session.person_id, session.secret_sha256 = $1::bytea AS is_current,
  extract(epoch FROM clock_timestamp() - session.rotated_at)::float8 AS rotated_s,
  person.provider, person.issuer, person.subject, person.name, person.email, person.groups,
  to_char(session.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at,
  to_char(session.idle_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS idle_at
FROM keys.sessions AS session
JOIN keys.people AS person ON person.id = session.person_id AND person.blocked_at IS NULL
WHERE (session.secret_sha256 = $1::bytea OR session.previous_sha256 = $1::bytea) AND session.realm = $2::text
  AND least(session.idle_at, session.expires_at) > clock_timestamp()
`,
  { route: "local" },
);
