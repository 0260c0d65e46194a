// Stores a new key. Only the SHA-256 of its secret is ever written.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  name: string,
  keyPrefix: string,
  secretSha256: Uint8Array,
  scopes: readonly string[],
  createdAt: string,
  isMinted: boolean,
  /** The id of a key; null for the operator. */
  createdBy: string | null,
  /** Null: it never expires. */
  expiresAt: string | null,
  /** Null: it may be used from anywhere. */
  allowedIps: readonly string[] | null,
];

export const createApiKey = statement<Params, never>(
  `/* keys.create-api-key */
INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at, is_minted, created_by,
  expires_at, allowed_ips)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::bytea, $6::text[], $7::text, $8::boolean, $9::text,
  $10::text, $11::text[]::cidr[])
`,
  { route: "local" },
);
