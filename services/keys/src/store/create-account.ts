// Stores a new account. Only an operator's command does this: the interface has no way to make one.

import { statement } from "@annals/postgres";

type Params = [accountId: string, name: string, createdAt: string, plan: string | null];

export const createAccount = statement<Params, never>(`/* keys.create-account */
INSERT INTO keys.accounts (account_id, name, created_at, plan) VALUES ($1::text, $2::text, $3::text, $4::text)
`);
