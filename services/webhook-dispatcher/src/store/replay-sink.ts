// Sets the cursor of a sink, from which on it is sent everything again, and makes it due at once. The fence
// counts on, so that a batch in flight does not move the new cursor. No row: the account has no such sink.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  /** The event before the first one that is sent. */
  cursor: bigint,
  now: string,
  /** The id of the key that asked for it. */
  updatedBy: string | null,
];

export const replaySink = statement<Params, { readonly id: string }>(
  `/* webhooks.replay-sink */
UPDATE webhooks.sinks AS sink SET
  cursor = $3::bigint,
  replays = replays + 1,
  pending_to = NULL,
  checkpoint_from = $3::bigint + 1,
  checkpoint_count = 0,
  fence = fence + 1,
  leased_until = NULL,
  due_at = moment.now,
  updated_by = $5::text
FROM (SELECT greatest(statement_timestamp(), $4::timestamptz) AS now OFFSET 0) AS moment
WHERE sink.account_id = $1::text AND sink.id = $2::text AND sink.operator IS NULL
RETURNING sink.id
`,
  { route: "one account" },
);
