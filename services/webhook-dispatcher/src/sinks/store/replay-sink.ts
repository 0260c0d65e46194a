// Sets the cursor of a sink, from which on it is sent everything again, and makes it due at once. The fence
// counts on, so that a batch in flight does not move the new cursor.

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

/** What a replay changes, by the parameters 3 and 4. */
const REPLAYED = `
  cursor = $3::bigint,
  replays = replays + 1,
  pending_to = NULL,
  refusals = NULL,
  checkpoint_from = $3::bigint + 1,
  checkpoint_count = 0,
  fence = fence + 1,
  leased_until = NULL,
  due_at = moment.now`;
const MOMENT = `(SELECT greatest(statement_timestamp(), $4::timestamptz) AS now OFFSET 0) AS moment`;

/** No row: the account has no such sink. */
export const replaySink = statement<Params, { readonly id: string }>(
  `/* webhooks.replay-sink */
UPDATE webhooks.sinks AS sink SET ${REPLAYED},
  updated_by = $5::text
FROM ${MOMENT}
WHERE sink.account_id = $1::text AND sink.id = $2::text AND sink.operator IS NULL
RETURNING sink.id
`,
  { route: "one account" },
);

/** The same of a sink of the operator, by its name. No row: it is not that far, or there is no such sink. */
export const replayOperatorSink = statement<
  [accountId: string, operator: string, cursor: string, now: string],
  { readonly id: string }
>(
  `/* webhooks.replay-operator-sink */
UPDATE webhooks.sinks AS sink SET ${REPLAYED}
FROM ${MOMENT}
WHERE sink.account_id = $1::text AND sink.operator = $2::text AND sink.cursor >= $3::bigint
RETURNING sink.id
`,
  { route: "one account" },
);
