// How far retention of an account is, what is set for it, and its lease. Called by retention/, and by the
// nouns that ask what is deleted. Only the function ledger.expire says what is deleted.

import { statement } from "@annals/postgres";

export interface LifecycleRow {
  /** Number of the last annals.retention, and the last event that it names; 0 before the first one. */
  readonly record_sequence: string;
  readonly through_sequence: string;
  /** The last event that is deleted, and the last one whose leaf is, too. */
  readonly deleted_through: string;
  readonly min_index: string;
  /** Set for the account; null: that of the plan. */
  readonly days: number | null;
  /** In force until `shorter_s`. */
  readonly days_before: number | null;
  /** Seconds since 1970 at which `days` is in force; null: it is. */
  readonly shorter_s: number | null;
  /** Whether events are archived; if not, seconds since 1970 until which they still are, or null. */
  readonly archive: boolean;
  readonly archive_until_s: number | null;
  /** The last event that is archived. */
  readonly archived_through: string;
}

const COLUMNS = `record_sequence, through_sequence, deleted_through, min_index, days, days_before,
  extract(epoch FROM shorter_from)::double precision AS shorter_s, archive,
  extract(epoch FROM archive_until)::double precision AS archive_until_s, archived_through`;

/** No row: the account has no record, and nothing is set for it. */
export const getLifecycle = statement<[accountId: string], LifecycleRow>(
  `/* ledger.get-lifecycle */
SELECT ${COLUMNS} FROM ledger.lifecycles WHERE account_id = $1::text
`,
  { route: "one account" },
);

/** Keeps the settings as they are until the transaction ends. */
export const lockLifecycle = statement<[accountId: string], LifecycleRow>(
  `/* ledger.lock-lifecycle */
SELECT ${COLUMNS} FROM ledger.lifecycles WHERE account_id = $1::text FOR NO KEY UPDATE
`,
  { route: "one account" },
);

type Settings = [
  accountId: string,
  days: number | null,
  daysBefore: number | null,
  /** Seconds since 1970, or null. */
  shorterS: number | null,
];

export const setRetention = statement<Settings, never>(
  `/* ledger.set-retention */
UPDATE ledger.lifecycles
SET days = $2::integer, days_before = $3::integer, shorter_from = to_timestamp($4::double precision)
WHERE account_id = $1::text
`,
  { route: "one account" },
);

type Archives = [accountId: string, archive: boolean, untilS: number | null];

export const setArchives = statement<Archives, never>(
  `/* ledger.set-archives */
UPDATE ledger.lifecycles SET archive = $2::boolean, archive_until = to_timestamp($3::double precision)
WHERE account_id = $1::text
`,
  { route: "one account" },
);

type Cut = [accountId: string, record: string, through: string];

/** Call it in the transaction of the record. No row: a later record has moved it. */
export const setCut = statement<Cut, { readonly account_id: string }>(
  `/* ledger.set-cut */
UPDATE ledger.lifecycles SET record_sequence = $2::bigint, through_sequence = $3::bigint
WHERE account_id = $1::text AND through_sequence < $3::bigint
RETURNING account_id
`,
  { route: "one account" },
);

type Work = [afterAccountId: string, limit: number, intervalSeconds: number];

export interface RetentionWorkRow {
  readonly account_id: string;
  readonly head: string;
  /** Seconds since it was due; negative before. Null: it has no row. */
  readonly overdue_s: number | null;
}

/** The chains after an account, in the order of their ids. */
export const findRetentionWork = statement<Work, RetentionWorkRow>(
  `/* ledger.find-retention-work */
SELECT heads.account_id, heads.sequence_number AS head,
  (extract(epoch FROM statement_timestamp() - checked_at) - $3::integer)::double precision AS overdue_s
FROM ledger.heads LEFT JOIN ledger.lifecycles ON lifecycles.account_id = heads.account_id
WHERE heads.account_id > $1::text
ORDER BY heads.account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);

/** Begins the time since which an account without a pass is due. */
export const beginRetention = statement<[accountId: string, intervalSeconds: number], never>(
  `/* ledger.begin-retention */
UPDATE ledger.lifecycles SET checked_at = statement_timestamp() - $2::integer * interval '1 second'
WHERE account_id = $1::text AND checked_at IS NULL
`,
  { route: "one account" },
);

type Claim = [accountId: string, intervalSeconds: number, leaseSeconds: number];

interface ChangedRow {
  readonly account_id: string;
}

/** No row: another replica has it, or it is not due. */
export const claimRetention = statement<Claim, ChangedRow>(
  `/* ledger.claim-retention */
UPDATE ledger.lifecycles SET leased_until = statement_timestamp() + $3::integer * interval '1 second'
WHERE account_id = $1::text AND checked_at <= statement_timestamp() - $2::integer * interval '1 second'
  AND (leased_until IS NULL OR leased_until <= statement_timestamp())
RETURNING account_id
`,
  { route: "one account" },
);

/** Ends the lease; the account stays due. */
export const releaseRetention = statement<[accountId: string], never>(
  `/* ledger.release-retention */
UPDATE ledger.lifecycles SET leased_until = NULL WHERE account_id = $1::text
`,
  { route: "one account" },
);

/** Ends the lease; the account is due again after the interval. */
export const finishRetention = statement<[accountId: string], never>(
  `/* ledger.finish-retention */
UPDATE ledger.lifecycles SET leased_until = NULL, checked_at = statement_timestamp()
WHERE account_id = $1::text
`,
  { route: "one account" },
);
