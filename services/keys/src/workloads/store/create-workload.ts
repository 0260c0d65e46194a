// Stores a new workload. Tokens that are registered after the commit find it.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  name: string,
  issuer: string,
  subject: string,
  /** JSON. */
  claims: string,
  scopes: readonly string[],
  allowedIps: readonly string[] | null,
  /** The id of a key, a person or another workload. */
  createdBy: string | null,
  createdAt: string,
];

export const createWorkload = statement<Params, never>(
  `/* keys.create-workload */
INSERT INTO keys.workloads (account_id, id, name, issuer, subject, claims, scopes, allowed_ips, created_by, created_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::jsonb, $7::text[], $8::text[]::cidr[], $9::text, $10::text)
`,
  { route: "local" },
);
