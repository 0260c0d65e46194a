// Ends the oldest sessions of a person beyond a number. Called behind the statement that locks the person.

import { statement } from "@annals/postgres";

export const deleteSurplusSessions = statement<
  [personId: string, kept: number],
  { readonly id: string }
>(
  `/* keys.delete-surplus-sessions */
DELETE FROM keys.sessions
WHERE id IN (
  SELECT id FROM keys.sessions WHERE person_id = $1::text
  ORDER BY created_at DESC, id DESC OFFSET $2::integer)
RETURNING id
`,
  { route: "local" },
);
