// How far sinks are: the scan for those that have work, the claim of one, and what a claim writes. Called by
// worker/sinks.ts, worker/claimed-sink.ts and worker/sink-cursor.ts. Whatever a claim writes names its
// fence, so that a process whose lease has expired changes nothing. Times are added up in a subquery: a
// distributed PostgreSQL adds nothing to a column in an UPDATE.

import type { SinkType } from "@annals/interface";
import { statement } from "@annals/postgres";
import type { SinkRow, SinkStatusRow } from "./sink-row.ts";

export interface ListedSink {
  readonly account_id: string;
  readonly id: string;
  readonly cursor: string;
  readonly is_failing: boolean;
  /** Whether it may be claimed now. */
  readonly is_due: boolean;
  /** Seconds since the last checkpoint. */
  readonly checkpoint_age_s: number;
  /** Seconds since the first failed attempt after the last success; 0 if there was none. */
  readonly failing_s: number;
  /** The name of the operator's sink; null: a sink of the account. */
  readonly operator: string | null;
  /** Null for a sink of the operator. */
  readonly type: SinkType | null;
}

type Page = [now: string, afterAccountId: string, afterId: string, limit: number];

/** Lists the sinks that are not paused. It locks nothing. */
export const listSinksAtWork = statement<Page, ListedSink>(
  `/* webhooks.list-sinks-at-work */
SELECT account_id, id, cursor, attempts > 0 AS is_failing, operator, type,
  sink.due_at <= moment.now AND (sink.leased_until IS NULL OR sink.leased_until < moment.now) AS is_due,
  extract(epoch FROM moment.now - sink.checkpoint_at)::float8 AS checkpoint_age_s,
  coalesce(extract(epoch FROM moment.now - sink.failing_since)::float8, 0) AS failing_s
FROM webhooks.sinks AS sink
CROSS JOIN (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS moment
WHERE active AND (account_id, id) > ($2::text, $3::text)
ORDER BY account_id, id
LIMIT $4::integer
`,
  { route: "all accounts, read" },
);

/** Counts the sinks that their owners have paused. */
export const countPausedSinks = statement<[], { readonly count: number }>(
  `/* webhooks.count-paused-sinks */
SELECT count(*)::integer AS count FROM webhooks.sinks WHERE NOT active
`,
  { route: "all accounts, read" },
);

/** The members of a row that a sink of the operator has in its file instead. */
type OfFile = "config_key_id" | "config_sealed" | "format" | "type";

/** A row that this process has claimed. */
export interface ClaimedSinkRow
  extends
    Omit<
      SinkStatusRow,
      OfFile | "active" | "created_at" | "last_delivered_at" | "last_error" | "next_attempt_at"
    >,
    Readonly<{ [Name in OfFile]: SinkRow[Name] | null }> {
  /** The name of the operator's sink; null: a sink of the account. */
  readonly operator: string | null;
  readonly fence: string;
  readonly pending_to: string | null;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly claimed_at_ms: number;
  readonly checkpoint_age_s: number;
  /** Seconds since the first failed attempt after the last success; 0 if there was none. */
  readonly failing_s: number;
  readonly failure_recorded: boolean;
}

/**
 * Claims a sink. A lease that has ended without a result or a release is one whose process ended. The sink is
 * claimed again once at once; the claims after that wait 30 s, then 60 s, at last 5 minutes, and count as
 * failed attempts: a batch that ends every process that sends it does so rarely.
 */
export const claimSink = statement<
  [now: string, accountId: string, id: string, leaseS: number],
  ClaimedSinkRow
>(
  `/* webhooks.claim-sink */
UPDATE webhooks.sinks AS sink
SET leased_until = moment.later, fence = sink.fence + 1,
  lost_claims = sink.lost_claims + CASE WHEN sink.leased_until IS NULL THEN 0 ELSE 1 END,
  due_at = CASE WHEN sink.leased_until IS NULL THEN sink.due_at
    ELSE to_timestamp(moment.epoch + $4::integer + least(300, 30 * 2 ^ least(sink.lost_claims, 10))) END,
  attempts = sink.attempts + CASE WHEN sink.leased_until IS NOT NULL AND sink.lost_claims > 0 THEN 1 ELSE 0 END,
  failing_since = CASE WHEN sink.leased_until IS NOT NULL AND sink.lost_claims > 0 AND sink.failing_since IS NULL
    THEN moment.now ELSE sink.failing_since END,
  last_error = CASE WHEN sink.leased_until IS NOT NULL AND sink.lost_claims > 0
    THEN 'The service was interrupted while it sent a batch.' ELSE sink.last_error END
FROM (
  SELECT now, now + $4::integer * interval '1 second' AS later, extract(epoch FROM now)::float8 AS epoch
  FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS clock OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND active AND sink.due_at <= moment.now
  AND (sink.leased_until IS NULL OR sink.leased_until < moment.now)
RETURNING account_id, id, operator, type, format, config_key_id, config_sealed, filter, leave_out, include_proof, mapping,
  cursor, pending_to, replays, receiver_state, checkpoint_from, checkpoint_count, sent_number, sent_hash, attempts, lost,
  refusals, on_rejected, fence, failure_recorded, moment.epoch * 1000 AS claimed_at_ms,
  extract(epoch FROM moment.now - sink.checkpoint_at)::float8 AS checkpoint_age_s,
  coalesce(extract(epoch FROM moment.now - sink.failing_since)::float8, 0) AS failing_s
`,
  { route: "one account" },
);

export type Claim = [now: string, accountId: string, id: string, fence: string];

export interface Moved {
  readonly id: string;
}

/** Notes the end of the batch that is about to be sent, so that it has the same bounds after a crash. */
export const beginBatch = statement<[...Claim, pendingTo: string], Moved>(
  `/* webhooks.begin-sink-batch */
UPDATE webhooks.sinks AS sink SET pending_to = $5::bigint
FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint AND sink.leased_until >= moment.now
  AND active
RETURNING sink.id
`,
  { route: "one account" },
);

/** What has moved a cursor, and what it leaves. */
export type Move = [
  fromCursor: string,
  toCursor: string,
  /** Whether the receiver has acknowledged something; else the filter left all events out. */
  isDelivered: boolean,
  receiverState: string | null,
  checkpointFrom: string,
  checkpointCount: string,
  hasCheckpoint: boolean,
  sentNumber: string | null,
  sentHash: string | null,
  /** JSON: the ranges that were never sent. */
  lost: string | null,
  refusals: string | null,
  leaseS: number,
];

/** Moves the cursor by compare-and-set, and holds the lease on. */
export const moveSink = statement<[...Claim, ...Move], Moved>(
  `/* webhooks.move-sink */
UPDATE webhooks.sinks AS sink SET
  cursor = $6::bigint, pending_to = NULL,
  receiver_state = CASE WHEN $7::boolean THEN $8::text ELSE sink.receiver_state END,
  checkpoint_from = $9::bigint, checkpoint_count = $10::bigint,
  checkpoint_at = CASE WHEN $11::boolean THEN moment.now ELSE sink.checkpoint_at END,
  sent_number = $12::bigint, sent_hash = $13::text, lost = $14::text, refusals = $15::text,
  lost_claims = CASE WHEN $7::boolean THEN 0 ELSE sink.lost_claims END,
  due_at = CASE WHEN $7::boolean AND sink.lost_claims > 0 THEN moment.now ELSE sink.due_at END,
  attempts = CASE WHEN $7::boolean THEN 0 ELSE sink.attempts END,
  failing_since = CASE WHEN $7::boolean THEN NULL ELSE sink.failing_since END,
  failure_recorded = sink.failure_recorded AND NOT $7::boolean,
  last_error = CASE WHEN $7::boolean THEN NULL ELSE sink.last_error END,
  last_delivered_at = CASE WHEN $7::boolean THEN moment.now ELSE sink.last_delivered_at END,
  leased_until = moment.later
FROM (
  SELECT now, now + $16::integer * interval '1 second' AS later
  FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS clock OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint AND sink.cursor = $5::bigint
RETURNING sink.id
`,
  { route: "one account" },
);

/** Ends a claim after a failed attempt. */
export const failSink = statement<
  [...Claim, error: string, waitS: number, isRecorded: boolean, refusals: string | null],
  Moved
>(
  `/* webhooks.fail-sink */
UPDATE webhooks.sinks AS sink SET
  attempts = sink.attempts + 1, last_error = $5::text, leased_until = NULL, lost_claims = 0,
  due_at = moment.later,
  failing_since = CASE WHEN sink.failing_since IS NULL THEN moment.now ELSE sink.failing_since END,
  failure_recorded = sink.failure_recorded OR $7::boolean,
  refusals = $8::text
FROM (
  SELECT now, now + $6::float8 * interval '1 second' AS later
  FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS clock OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint
RETURNING sink.id
`,
  { route: "one account" },
);

/** Ends a claim: the sink is due again after a time. */
export const releaseSink = statement<[...Claim, waitS: number, keepsBounds: boolean], Moved>(
  `/* webhooks.release-sink */
UPDATE webhooks.sinks AS sink SET
  leased_until = NULL, due_at = moment.later,
  pending_to = CASE WHEN $6::boolean THEN sink.pending_to END
FROM (
  SELECT now, now + $5::float8 * interval '1 second' AS later
  FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS clock OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint
RETURNING sink.id
`,
  { route: "one account" },
);

export const renewSink = statement<[...Claim, leaseS: number], Moved>(
  `/* webhooks.renew-sink */
UPDATE webhooks.sinks AS sink SET leased_until = moment.later
FROM (
  SELECT now, now + $5::integer * interval '1 second' AS later
  FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS clock OFFSET 0) AS moment
WHERE sink.account_id = $2::text AND sink.id = $3::text AND sink.fence = $4::bigint AND sink.leased_until >= moment.now
RETURNING sink.id
`,
  { route: "one account" },
);
