// Stores a person who logs in for the first time. No row: the person is known.

import { statement } from "@annals/postgres";

type Params = [
  id: string,
  issuer: string,
  subject: string,
  provider: string,
  name: string | null,
  email: string | null,
  groups: readonly string[],
  now: string,
];

export const createPerson = statement<Params, { readonly id: string }>(
  `/* keys.create-person */
INSERT INTO keys.people (id, issuer, subject, provider, name, email, groups, created_at, last_login_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text[], $8::text, $8::text)
ON CONFLICT (issuer, subject) DO NOTHING
RETURNING id
`,
  { route: "local" },
);
