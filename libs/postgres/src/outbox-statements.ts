// The statements of an outbox, made once for the schema of a service. Called by outbox.ts. They must never
// delete the last entry of an account: the next position is counted from it.

import { type Statement, statement } from "./statement.ts";

/** Entries that one statement deletes, and accounts that one statement looks through. */
export const PRUNE_ENTRIES = 1_000;
export const PRUNE_ACCOUNTS = 1_000;

type EntryParams = [accountId: string, eventName: string, data: string, createdAt: string];
type ListParams = [accountId: string, afterPosition: bigint, limit: number];
type PruneParams = [accountId: string, upToPosition: bigint, keptDays: number];

interface PositionRow {
  readonly position: string;
}

interface EntryRow extends PositionRow {
  readonly event_name: string;
  readonly data: string;
  readonly created_at: string;
}

/** The last position of an account, and whether an entry before it is older than the days given. */
interface ExpiredRow extends PositionRow {
  readonly account_id: string;
  readonly has_expired: boolean;
}

/** The text of `created_at` so many days ago. */
const daysAgo = (days: string): string =>
  `to_char((now() - ${days}::integer * interval '1 day') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

// The row of the outbox's head is locked until the commit. So positions have no gaps, and no reader sees a
// position before the one below it.
export const addToOutbox = (schema: string): Statement<EntryParams, PositionRow> =>
  statement(
    `/* ${schema}.add-to-outbox */
WITH moved AS (
  INSERT INTO ${schema}.outbox_heads AS head (account_id, position)
  VALUES ($1::text, 1)
  ON CONFLICT (account_id) DO UPDATE SET position = head.position + 1
  RETURNING position
)
INSERT INTO ${schema}.outbox (account_id, position, event_name, data, created_at)
SELECT $1::text, position, $2::text, $3::text, $4::text FROM moved
RETURNING position
`,
    { route: "one account" },
  );

export const listOutbox = (schema: string): Statement<ListParams, EntryRow> =>
  statement(
    `/* ${schema}.list-outbox */
SELECT position, event_name, data, created_at
FROM ${schema}.outbox
WHERE account_id = $1::text AND position > $2::bigint
ORDER BY position
LIMIT $3::integer
`,
    { route: "one account" },
  );

/** Reads the positions in the order of the parameter; 0 if an account has no entry. */
export const getOutboxPositions = (
  schema: string,
): Statement<[accountIds: readonly string[]], PositionRow> =>
  statement(
    `/* ${schema}.get-outbox-positions */
SELECT coalesce((
    SELECT position FROM ${schema}.outbox
    WHERE outbox.account_id = asked.account_id
    ORDER BY position DESC
    LIMIT 1
  ), 0) AS position
FROM unnest($1::text[]) WITH ORDINALITY AS asked (account_id, ordinal)
ORDER BY ordinal
`,
    { route: "some accounts" },
  );

export const pruneOutbox = (schema: string): Statement<PruneParams, { readonly deleted: number }> =>
  statement(
    `/* ${schema}.prune-outbox */
WITH oldest AS (
  SELECT position FROM ${schema}.outbox
  WHERE account_id = $1::text AND position <= $2::bigint
    AND position < (SELECT position FROM ${schema}.outbox_heads WHERE account_id = $1::text)
  ORDER BY position
  LIMIT ${PRUNE_ENTRIES}
), deleted AS (
  DELETE FROM ${schema}.outbox USING oldest
  WHERE account_id = $1::text AND outbox.position = oldest.position AND created_at < ${daysAgo("$3")}
  RETURNING 1
)
SELECT count(*)::integer AS deleted FROM deleted
`,
    { route: "one account" },
  );

/** The next accounts after the one given, in the order of their ids. */
export const findExpiredOutbox = (
  schema: string,
): Statement<[afterAccountId: string, keptDays: number], ExpiredRow> =>
  statement(
    `/* ${schema}.find-expired-outbox */
SELECT head.account_id, head.position, coalesce(oldest.created_at < ${daysAgo("$2")}, false) AS has_expired
FROM (
  SELECT account_id, position FROM ${schema}.outbox_heads
  WHERE account_id > $1::text
  ORDER BY account_id
  LIMIT ${PRUNE_ACCOUNTS}
) AS head
LEFT JOIN LATERAL (
  SELECT created_at FROM ${schema}.outbox
  WHERE outbox.account_id = head.account_id AND outbox.position < head.position
  ORDER BY outbox.position
  LIMIT 1
) AS oldest ON true
ORDER BY head.account_id
`,
    { route: "all accounts, read" },
  );
