// Stores a new webhook, and the account's cursors where it is the first. Only the sealed secret is ever
// written. The cursors begin at 0: because of its `after_*` the webhook receives nothing from before it was
// created.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  url: string,
  events: readonly string[],
  active: boolean,
  createdAt: string,
  secretKeyId: string,
  secretSealed: Uint8Array,
  afterEvents: bigint,
  afterVerifications: bigint,
  afterExports: bigint,
  /** The id of a key. */
  createdBy: string | null,
];

export const createWebhook = statement<Params, never>(`/* webhooks.create-webhook */
WITH cursors AS (
  INSERT INTO webhooks.cursors (account_id, kind, position)
  SELECT $1::text, kind, 0 FROM unnest(ARRAY['events', 'verifications', 'exports']) AS kind
  ON CONFLICT DO NOTHING
)
INSERT INTO webhooks.webhooks (account_id, id, url, events, active, created_at, secret_key_id, secret_sealed,
  after_events, after_verifications, after_exports, created_by)
VALUES ($1::text, $2::text, $3::text, $4::text[], $5::boolean, $6::text, $7::text, $8::bytea,
  $9::bigint, $10::bigint, $11::bigint, $12::text)
`);
