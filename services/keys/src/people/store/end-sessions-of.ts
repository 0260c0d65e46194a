// Ends all sessions of a person, with all that they have made.

import { statement } from "@annals/postgres";

export const endSessionsOf = statement<[personId: string], { readonly id: string }>(
  `/* keys.end-sessions-of */
DELETE FROM keys.sessions WHERE person_id = $1::text RETURNING id
`,
  { route: "local" },
);
