// Stores a new account. Only an operator does this: the interface has no way to make one. No row: an account
// with that id exists, which an earlier request with the same idempotency key made.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  name: string,
  createdAt: string,
  plan: string | null,
  /** Null if the request had no idempotency key. */
  requestSha256: Uint8Array | null,
];

export const createAccount = statement<Params, { readonly account_id: string }>(
  `/* keys.create-account */
INSERT INTO keys.accounts (account_id, name, created_at, plan, request_sha256)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::bytea)
ON CONFLICT (account_id) DO NOTHING
RETURNING account_id
`,
  { route: "local" },
);
