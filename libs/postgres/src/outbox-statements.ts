// The statements of an outbox, made once for the schema of a service. Called by outbox.ts. They must never
// delete the last entry of an account: the next position is counted from it.

import { type Statement, statement } from "./statement.ts";

/** Entries that one statement deletes, and accounts that one statement looks through. */
export const PRUNE_ENTRIES = 1_000;
export const PRUNE_ACCOUNTS = 1_000;

type EntryParams = [
  accountId: string,
  position: string,
  eventName: string,
  data: string,
  createdAt: string,
];
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

/** The last position of an account. */
export interface OutboxAccount extends PositionRow {
  readonly account_id: string;
}

interface ExpiredRow extends OutboxAccount {
  /** Whether its first entry is older than the days given, and not its last. */
  readonly has_expired: boolean;
}

/** The text of `created_at` that is `days` old. */
const daysAgo = (days: string): string =>
  `to_char((now() - ${days}::integer * interval '1 day') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Gives the next position of an account. The row is locked until the commit, so positions have no gaps, and
 * no reader sees a position before the one below it.
 */
export const moveOutboxHead = (schema: string): Statement<[accountId: string], PositionRow> =>
  statement(
    `/* ${schema}.move-outbox-head */
INSERT INTO ${schema}.outbox_heads AS head (account_id, position)
VALUES ($1::text, 1)
ON CONFLICT (account_id) DO UPDATE SET position = head.position + 1
RETURNING position
`,
    { route: "one account" },
  );

export const addToOutbox = (schema: string): Statement<EntryParams, never> =>
  statement(
    `/* ${schema}.add-to-outbox */
INSERT INTO ${schema}.outbox (account_id, position, event_name, data, created_at)
VALUES ($1::text, $2::bigint, $3::text, $4::text, $5::text)
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

/** The last positions of some accounts, in any order. No row: the account has no entry. */
export const getOutboxPositions = (
  schema: string,
): Statement<[accountIds: readonly string[]], OutboxAccount> =>
  statement(
    `/* ${schema}.get-outbox-positions */
SELECT account_id, position FROM ${schema}.outbox_heads WHERE account_id = ANY ($1::text[])
`,
    { route: "some accounts" },
  );

/** Deletes entries that are too old, among the oldest. Returns a row for each. */
export const pruneOutbox = (schema: string): Statement<PruneParams, PositionRow> =>
  statement(
    `/* ${schema}.prune-outbox */
DELETE FROM ${schema}.outbox
WHERE account_id = $1::text AND position <= $2::bigint
  AND position < (SELECT position FROM ${schema}.outbox_heads WHERE account_id = $1::text)
  AND position < (SELECT min(position) FROM ${schema}.outbox WHERE account_id = $1::text) + ${PRUNE_ENTRIES}
  AND created_at < ${daysAgo("$3")}
RETURNING position
`,
    { route: "one account" },
  );

/** The next accounts after the one given, in the order of their ids. */
export const findExpiredOutbox = (
  schema: string,
): Statement<[afterAccountId: string, keptDays: number], ExpiredRow> =>
  statement(
    `/* ${schema}.find-expired-outbox */
SELECT account_id, position, EXISTS (
    SELECT 1 FROM ${schema}.outbox AS oldest
    WHERE oldest.account_id = head.account_id AND oldest.position < head.position
      AND oldest.position = (
        SELECT min(entry.position) FROM ${schema}.outbox AS entry WHERE entry.account_id = head.account_id)
      AND oldest.created_at < ${daysAgo("$2")}
  ) AS has_expired
FROM ${schema}.outbox_heads AS head
WHERE account_id > $1::text
ORDER BY account_id
LIMIT ${PRUNE_ACCOUNTS}
`,
    { route: "all accounts, read" },
  );
