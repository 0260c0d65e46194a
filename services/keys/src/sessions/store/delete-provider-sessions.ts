// Ends the sessions of an issuer that have this name there, or that are of this subject, or both.

import { statement } from "@annals/postgres";

type Params = [issuer: string, subject: string | null, providerSid: string | null];

interface Row {
  readonly id: string;
  readonly person_id: string;
}

export const deleteProviderSessions = statement<Params, Row>(
  `/* keys.delete-provider-sessions */
DELETE FROM keys.sessions AS session USING keys.people AS person
WHERE person.id = session.person_id AND person.issuer = $1::text
  AND ($2::text IS NULL OR person.subject = $2::text)
  AND ($3::text IS NULL OR session.provider_sid = $3::text)
  AND num_nonnulls($2::text, $3::text) > 0
RETURNING session.id, session.person_id
`,
  { route: "local" },
);
