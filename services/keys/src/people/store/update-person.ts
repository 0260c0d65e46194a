// What a provider says of a person at a further login, which locks the person. No row: the person is blocked,
// and nothing changes, or is unknown.

import { statement } from "@annals/postgres";

type Params = [
  issuer: string,
  subject: string,
  provider: string,
  name: string | null,
  email: string | null,
  groups: readonly string[],
  now: string,
];

export const updatePerson = statement<Params, { readonly id: string }>(
  `/* keys.update-person */
UPDATE keys.people SET provider = $3::text, name = $4::text, email = $5::text, groups = $6::text[],
  last_login_at = $7::text
WHERE issuer = $1::text AND subject = $2::text AND blocked_at IS NULL
RETURNING id
`,
  { route: "local" },
);
