// Stores a new sink. Only the sealed configuration is ever written. It is due at once.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  type: string,
  format: string,
  configKeyId: string,
  configSealed: Uint8Array,
  /** JSON text; null: it is sent all events. */
  filter: string | null,
  leaveOut: readonly string[],
  includeProof: boolean,
  /** JSON text; null: the classes of the service. */
  mapping: string | null,
  onRejected: string,
  active: boolean,
  createdAt: string,
  /** The id of the key that created it. */
  createdBy: string | null,
  /** The event before the first one that is sent. */
  cursor: bigint,
];

export const createSink = statement<Params, never>(
  `/* webhooks.create-sink */
INSERT INTO webhooks.sinks (account_id, id, type, format, config_key_id, config_sealed, filter, leave_out, include_proof,
  mapping, on_rejected, active, created_at, created_by, cursor, checkpoint_from)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bytea, $7::text, $8::text[], $9::boolean,
  $10::text, $11::text, $12::boolean, $13::text, $14::text, $15::bigint, $15::bigint + 1)
`,
  { route: "one account" },
);
