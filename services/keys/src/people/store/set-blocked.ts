// Blocks a person, or lets one log in again. No row: there is no such person, or it is so already.

import { statement } from "@annals/postgres";

type Params = [
  id: string,
  /** Null lets the person log in. */
  blockedAt: string | null,
];

export const setBlocked = statement<Params, { readonly id: string }>(
  `/* keys.set-blocked */
UPDATE keys.people SET blocked_at = $2::text
WHERE id = $1::text AND (blocked_at IS NULL) = ($2::text IS NOT NULL)
RETURNING id
`,
  { route: "local" },
);
