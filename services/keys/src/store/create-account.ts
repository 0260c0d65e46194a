// Stores a new account. Only an operator does this: the interface has no way to make one. No row: an account
// with that id exists, which an earlier request with the same idempotency key made.

import { statement } from "@annals/postgres";

type Params = [accountId: string, name: string, createdAt: string, plan: string | null];

export const createAccount = statement<
  Params,
  { readonly account_id: string }
>(`/* keys.create-account */
INSERT INTO keys.accounts (account_id, name, created_at, plan) VALUES ($1::text, $2::text, $3::text, $4::text)
ON CONFLICT (account_id) DO NOTHING
RETURNING account_id
`);
