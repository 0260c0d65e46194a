// What the rotation of sealing keys, and the check of the keys, read and write of sinks. A configuration is
// replaced only if it is still the one that was read.

import { statement } from "@annals/postgres";

interface SealedSinkRow {
  readonly account_id: string;
  readonly id: string;
  readonly config_key_id: string;
  readonly config_sealed: Buffer;
}

/** Lists configurations sealed by a key other than the given one, after a sink. */
export const listSinksSealedByOthers = statement<
  [keyId: string, limit: number, afterAccountId: string, afterId: string],
  SealedSinkRow
>(
  `/* webhooks.list-sinks-sealed-by-others */
SELECT account_id, id, config_key_id, config_sealed
FROM webhooks.sinks
WHERE config_key_id <> $1::text AND (account_id, id) > ($3::text, $4::text)
ORDER BY account_id, id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);

export const replaceSinkConfig = statement<
  [
    accountId: string,
    id: string,
    oldSealed: Uint8Array,
    configKeyId: string,
    configSealed: Uint8Array,
  ],
  { readonly id: string }
>(
  `/* webhooks.replace-sink-config */
UPDATE webhooks.sinks SET config_key_id = $4::text, config_sealed = $5::bytea
WHERE account_id = $1::text AND id = $2::text AND config_sealed = $3::bytea
RETURNING id
`,
  { route: "one account" },
);

/** Finds one of the sealing keys that are in use for sinks but not in the given list. */
export const listUnknownSinkKeyIds = statement<
  [keyIds: readonly string[]],
  { readonly secret_key_id: string }
>(
  `/* webhooks.list-unknown-sink-key-ids */
SELECT config_key_id AS secret_key_id FROM webhooks.sinks WHERE config_key_id <> ALL ($1::text[]) LIMIT 1
`,
  { route: "all accounts, read" },
);
