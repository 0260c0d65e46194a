// Deletes some sessions that have ended by their time, with all that they have made, which was not valid any
// longer.

import { statement } from "@annals/postgres";

export const deleteExpiredSessions = statement<[limit: number], { readonly id: string }>(
  `/* keys.delete-expired-sessions */
DELETE FROM keys.sessions WHERE id IN (
  SELECT id FROM keys.sessions WHERE least(idle_at, expires_at) < statement_timestamp()
  ORDER BY least(idle_at, expires_at) LIMIT $1::integer)
RETURNING id
`,
  { route: "local" },
);
