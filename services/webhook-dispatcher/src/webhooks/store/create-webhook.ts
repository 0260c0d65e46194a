// Stores a new webhook. Only the sealed secret is ever written.

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
  afterCheckpoints: bigint,
  /** The id of the key that created it. */
  createdBy: string | null,
  /** JSON text; null: it receives all events. */
  filter: string | null,
];

export const createWebhook = statement<Params, never>(
  `/* webhooks.create-webhook */
INSERT INTO webhooks.webhooks (account_id, id, url, events, active, created_at, secret_key_id, secret_sealed,
  after_events, after_verifications, after_exports, after_checkpoints, created_by, filter)
VALUES ($1::text, $2::text, $3::text, $4::text[], $5::boolean, $6::text, $7::text, $8::bytea,
  $9::bigint, $10::bigint, $11::bigint, $12::bigint, $13::text, $14::text)
`,
  { route: "one account" },
);
