// As many keys, webhooks and widget tokens as a test needs, stored at once with the owner's rights. Called
// by the tests of limits and pages.

import { ownerOf } from "@annals/testing";
import { inject } from "vitest";

const insert = async (text: string, values: readonly unknown[], databaseUrl: string) => {
  const owner = ownerOf(databaseUrl);
  try {
    await owner.query(text, values);
  } finally {
    await owner.close();
  }
};

const ID = "lpad(n::text, 26, '0')";
const TIME = `'2026-01-01T00:00:00.' || lpad((n / 3)::text, 6, '0') || 'Z'`;

/** Live keys, three of each time. Their secrets are not kept. */
export const storeKeys = (
  accountId: string,
  count: number,
  databaseUrl = inject("stack").databaseUrl,
): Promise<void> =>
  insert(
    `INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at)
     SELECT $1, 'key_' || ${ID}, 'key ' || n, 'annals_sk_aaaa...bb', sha256(($1 || n)::bytea), '{verify}', ${TIME}
     FROM generate_series(1, $2::integer) AS n`,
    [accountId, count],
    databaseUrl,
  );

export const storeWebhooks = (
  accountId: string,
  count: number,
  databaseUrl = inject("stack").databaseUrl,
): Promise<void> =>
  insert(
    `INSERT INTO webhooks.webhooks (account_id, id, url, events, active, created_at, secret_key_id, secret_sealed,
       after_events, after_verifications, after_exports, after_checkpoints)
     SELECT $1, 'wh_' || ${ID}, 'https://example.com/', '{event.created}', false, ${TIME}, 'none', '', 0, 0, 0, 0
     FROM generate_series(1, $2::integer) AS n`,
    [accountId, count],
    databaseUrl,
  );

/** Live for an hour. */
export const storeWidgetTokens = (
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  count: number,
  databaseUrl = inject("stack").databaseUrl,
): Promise<void> =>
  insert(
    `INSERT INTO keys.widget_tokens (account_id, id, token_prefix, secret_sha256, filter, filter_json, parts, origins,
       created_by, created_at, expires_at)
     SELECT $1, 'wtok_' || right($2, 8) || lpad(n::text, 18, '0'), 'annals_wt_aaaa...bb', sha256(($2 || n)::bytea), '', '{}', '{}',
       '{}', $2, ${TIME}, to_char(now() AT TIME ZONE 'UTC' + interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
     FROM generate_series(1, $3::integer) AS n`,
    [accountId, keyId, count],
    databaseUrl,
  );
