// Locks a person while a slot is chosen, so that no two access tokens are given the same one. No row: the
// person is blocked, or was deleted.

import { statement } from "@annals/postgres";

export const lockPerson = statement<[id: string], { readonly id: string }>(
  `/* keys.lock-person */
SELECT id FROM keys.people WHERE id = $1::text AND blocked_at IS NULL FOR NO KEY UPDATE
`,
  { route: "local" },
);
