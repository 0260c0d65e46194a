// Changes a sink that the transaction has locked. The cursor stays. The fence counts on, so that the claim of
// a process ends with its batch in flight, which another one sends again: changes act from the next batch on.
// A sink that is activated, even if it was active, begins without failures, and is due at once; with another
// configuration it is due at once, too.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
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
  activates: boolean,
  isDue: boolean,
  now: string,
  /** The id of the key that changed it. */
  updatedBy: string | null,
];

export const updateSink = statement<Params, never>(
  `/* webhooks.update-sink */
UPDATE webhooks.sinks AS sink SET
  format = $3::text,
  config_key_id = $4::text,
  config_sealed = $5::bytea,
  filter = $6::text,
  leave_out = $7::text[],
  include_proof = $8::boolean,
  mapping = $9::text,
  on_rejected = $10::text,
  active = $11::boolean,
  attempts = CASE WHEN $12::boolean THEN 0 ELSE attempts END,
  failing_since = CASE WHEN NOT $12::boolean THEN failing_since END,
  failure_recorded = failure_recorded AND NOT $12::boolean,
  last_error = CASE WHEN NOT $12::boolean THEN last_error END,
  due_at = CASE WHEN $13::boolean THEN moment.now ELSE due_at END,
  updated_by = $15::text,
  fence = fence + 1,
  leased_until = NULL
FROM (SELECT greatest(statement_timestamp(), $14::timestamptz) AS now OFFSET 0) AS moment
WHERE sink.account_id = $1::text AND sink.id = $2::text
`,
  { route: "one account" },
);
