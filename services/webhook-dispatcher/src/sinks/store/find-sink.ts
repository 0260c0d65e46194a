// One sink of an account. No row: the account has no such sink.

import { statement } from "@annals/postgres";
import type { SinkRow, SinkStatusRow } from "./sink-row.ts";

type Params = [accountId: string, id: string];

export const findSink = statement<Params, SinkStatusRow>(
  `/* webhooks.find-sink */
SELECT account_id, id, type, format, config_key_id, config_sealed, filter, leave_out, include_proof, mapping, on_rejected, active,
  created_at, attempts, cursor, replays, receiver_state, checkpoint_from, checkpoint_count, sent_number, sent_hash,
  last_error, lost, refusals,
  to_char(last_delivered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_delivered_at,
  to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS next_attempt_at
FROM webhooks.sinks
WHERE account_id = $1::text AND operator IS NULL AND id = $2::text
`,
  { route: "one account" },
);

/** Locks the sink until the transaction ends. */
export const lockSink = statement<Params, SinkRow>(
  `/* webhooks.lock-sink */
SELECT account_id, id, type, format, config_key_id, config_sealed, filter, leave_out, include_proof, mapping, on_rejected, active,
  created_at, attempts
FROM webhooks.sinks
WHERE account_id = $1::text AND operator IS NULL AND id = $2::text
FOR UPDATE
`,
  { route: "one account" },
);
