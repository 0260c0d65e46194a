// Ends a session, and with it the access tokens and widget tokens that it has made. No row: there is none.

import { statement } from "@annals/postgres";

interface EndedRow {
  readonly id: string;
  readonly person_id: string;
  readonly sealed_id_token: Uint8Array | null;
}

export const deleteSession = statement<[id: string], EndedRow>(
  `/* keys.delete-session */
DELETE FROM keys.sessions WHERE id = $1::text RETURNING id, person_id, sealed_id_token
`,
  { route: "local" },
);
