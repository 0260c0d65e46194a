// What the rotation of sealing keys reads and writes. A secret is replaced only if it is still the one that
// was read.

import { statement } from "@annals/postgres";

export interface SealedRow {
  readonly account_id: string;
  readonly id: string;
  /** Whether it is the secret that the last rotation replaced. */
  readonly is_previous: boolean;
  readonly secret_key_id: string;
  readonly secret_sealed: Buffer;
}

type After = [accountId: string, id: string, isPrevious: boolean];

/** Lists secrets sealed by a key other than the given one, in the order of the last three parameters. */
export const listSealedByOthers = statement<
  [keyId: string, limit: number, ...after: After],
  SealedRow
>(
  `/* webhooks.list-sealed-by-others */
SELECT account_id, id, sealed.is_previous, sealed.key_id AS secret_key_id, sealed.bytes AS secret_sealed
FROM webhooks.webhooks
CROSS JOIN LATERAL (
  VALUES (false, secret_key_id, secret_sealed), (true, previous_secret_key_id, previous_secret_sealed))
  AS sealed (is_previous, key_id, bytes)
WHERE sealed.key_id <> $1::text AND deleted_at IS NULL
  AND (account_id, id, sealed.is_previous) > ($3::text, $4::text, $5::boolean)
ORDER BY account_id, id, sealed.is_previous
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);

export const replaceSecret = statement<
  [
    accountId: string,
    id: string,
    oldSealed: Uint8Array,
    secretKeyId: string,
    secretSealed: Uint8Array,
  ],
  { readonly id: string }
>(
  `/* webhooks.replace-secret */
UPDATE webhooks.webhooks SET
  secret_key_id = CASE WHEN secret_sealed = $3::bytea THEN $4::text ELSE secret_key_id END,
  secret_sealed = CASE WHEN secret_sealed = $3::bytea THEN $5::bytea ELSE secret_sealed END,
  previous_secret_key_id = CASE WHEN previous_secret_sealed = $3::bytea THEN $4::text ELSE previous_secret_key_id END,
  previous_secret_sealed = CASE WHEN previous_secret_sealed = $3::bytea THEN $5::bytea ELSE previous_secret_sealed END
WHERE account_id = $1::text AND id = $2::text AND (secret_sealed = $3::bytea OR previous_secret_sealed = $3::bytea)
RETURNING id
`,
  { route: "one account" },
);
