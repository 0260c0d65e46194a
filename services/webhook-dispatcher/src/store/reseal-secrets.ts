// What the rotation of sealing keys reads and writes. A secret is replaced only where it is still
// the one that was read.

import { statement } from "@annals/postgres";

export interface SealedRow {
  readonly account_id: string;
  readonly id: string;
  readonly secret_key_id: string;
  readonly secret_sealed: Buffer;
}

/** Secrets that another key than the given one has sealed, by account and id after the given ones. */
export const listSealedByOthers = statement<
  [keyId: string, afterAccountId: string, afterId: string, limit: number],
  SealedRow
>(`/* webhooks.list-sealed-by-others */
SELECT account_id, id, secret_key_id, secret_sealed
FROM webhooks.webhooks
WHERE secret_key_id <> $1::text AND deleted_at IS NULL AND (account_id, id) > ($2::text, $3::text)
ORDER BY account_id, id
LIMIT $4::integer
`);

export const replaceSecret = statement<
  [
    accountId: string,
    id: string,
    oldSealed: Uint8Array,
    secretKeyId: string,
    secretSealed: Uint8Array,
  ],
  { readonly id: string }
>(`/* webhooks.replace-secret */
UPDATE webhooks.webhooks SET secret_key_id = $4::text, secret_sealed = $5::bytea
WHERE account_id = $1::text AND id = $2::text AND secret_sealed = $3::bytea
RETURNING id
`);
