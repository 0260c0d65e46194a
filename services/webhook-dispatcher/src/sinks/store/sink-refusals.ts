// What a refusal writes to the row of a sink: smaller batches, an event that is passed over by the worker, or
// by the owner. Called by worker/sink-cursor.ts and rpc/skip-sink-record.ts. The cursor moves over a single
// event, which is recorded in the same transaction.

import { statement } from "@annals/postgres";
import type { Claim, Moved } from "./sink-progress.ts";

/** Ends a claim after a refused batch: a smaller one is due at once. */
export const narrowSink = statement<[...Claim, refusals: string | null], Moved>(
  `/* webhooks.narrow-sink */
UPDATE webhooks.sinks AS sink SET refusals = $5::text, leased_until = NULL, due_at = moment.now
FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint
RETURNING sink.id
`,
  { route: "one account" },
);

/** Moves the cursor over a refused event by compare-and-set, and holds the lease on. */
export const skipRefused = statement<
  [
    ...Claim,
    fromCursor: string,
    toCursor: string,
    lost: string,
    refusals: string | null,
    leaseS: number,
  ],
  Moved
>(
  `/* webhooks.skip-refused */
UPDATE webhooks.sinks AS sink SET
  cursor = $6::bigint, lost = $7::text, refusals = $8::text, leased_until = moment.later
FROM (
  SELECT now, now + $9::integer * interval '1 second' AS later
  FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS clock OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint AND sink.cursor = $5::bigint
RETURNING sink.id
`,
  { route: "one account" },
);

export interface RefusalRow {
  readonly id: string;
  readonly type: string | null;
  readonly cursor: string;
  readonly lost: string | null;
  readonly refusals: string | null;
}

/** Locks a sink of the account until the transaction ends. No row: the account has no such sink. */
export const lockRefusals = statement<[accountId: string, id: string], RefusalRow>(
  `/* webhooks.lock-refusals */
SELECT id, type, cursor, lost, refusals FROM webhooks.sinks
WHERE account_id = $1::text AND operator IS NULL AND id = $2::text
FOR UPDATE
`,
  { route: "one account" },
);

/** The same of a sink of the operator, by its name. */
export const lockOperatorRefusals = statement<[accountId: string, operator: string], RefusalRow>(
  `/* webhooks.lock-operator-refusals */
SELECT id, type, cursor, lost, refusals FROM webhooks.sinks
WHERE account_id = $1::text AND operator = $2::text
FOR UPDATE
`,
  { route: "one account" },
);

/**
 * Moves the cursor of a locked sink over the refused event. The claim of a process ends, and it is due at
 * once.
 */
export const skipRecord = statement<
  [
    accountId: string,
    id: string,
    cursor: string,
    lost: string,
    refusals: string | null,
    now: string,
    /** The id of the key that asked for it. */
    updatedBy: string | null,
  ],
  never
>(
  `/* webhooks.skip-record */
UPDATE webhooks.sinks AS sink SET
  cursor = $3::bigint, pending_to = NULL, lost = $4::text, refusals = $5::text, attempts = 0, failing_since = NULL,
  last_error = NULL, fence = fence + 1, leased_until = NULL, due_at = moment.now, updated_by = $7::text
FROM (SELECT greatest(statement_timestamp(), $6::timestamptz) AS now OFFSET 0) AS moment
WHERE sink.account_id = $1::text AND sink.id = $2::text
`,
  { route: "one account" },
);
