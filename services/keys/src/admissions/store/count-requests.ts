// How requests are counted in the rate windows: in one of each key or widget token, and in one of its
// account. A part of the two statements that admit requests. Called by admit-requests.ts and
// admit-widget-requests.ts. What one of the two windows refuses must not count in the other.

/**
 * The queries `counted` and `account_counted`, from the rows of a query `known` with account_id, window_id,
 * account_window, wanted and account_limit. A window_id is unique among the rows of an account, and all rows
 * have the same account_window. `$3` is the limit of a key's window.
 *
 * "excluded.started_at" is the one reading of the clock that the decision about a row is based on. All rows
 * of keys are locked before any row of an account, each kind in the order of its primary key, so that two
 * groups never deadlock: the sum over an account needs all of `counted`. The account's row, which all its
 * keys share, is thus locked last and for the shortest time. What the key's window refuses never reaches the
 * account's.
 */
export const COUNTED = `counted AS (
  INSERT INTO keys.rate_windows AS rate_window (account_id, key_id, started_at, used, granted)
  SELECT account_id, window_id, clock_timestamp(), least(wanted, $3::integer), least(wanted, $3::integer)
  FROM known
  WHERE wanted > 0
  ORDER BY account_id, window_id
  ON CONFLICT (account_id, key_id) DO UPDATE SET
    started_at = CASE
      WHEN rate_window.started_at + interval '60 seconds' <= excluded.started_at THEN excluded.started_at
      ELSE rate_window.started_at END,
    used = CASE
      WHEN rate_window.started_at + interval '60 seconds' <= excluded.started_at THEN excluded.used
      ELSE rate_window.used + least(excluded.granted, greatest($3::integer - rate_window.used, 0)) END,
    granted = CASE
      WHEN rate_window.started_at + interval '60 seconds' <= excluded.started_at THEN excluded.granted
      ELSE least(excluded.granted, greatest($3::integer - rate_window.used, 0)) END
  RETURNING account_id, key_id AS window_id, used, granted,
    greatest(1, ceil(extract(epoch FROM started_at + interval '60 seconds' - clock_timestamp())))::integer AS ends_in_s
), account_counted AS (
  INSERT INTO keys.account_windows AS rate_window (account_id, window_name, started_at, used, granted, allowed)
  SELECT account_id, account_window, clock_timestamp(), least(sum(granted), max(account_limit)),
    least(sum(granted), max(account_limit)), max(account_limit)
  FROM counted JOIN known USING (account_id, window_id)
  WHERE granted > 0
  GROUP BY account_id, account_window
  ORDER BY account_id
  ON CONFLICT (account_id, window_name) DO UPDATE SET
    started_at = CASE
      WHEN rate_window.started_at + interval '60 seconds' <= excluded.started_at THEN excluded.started_at
      ELSE rate_window.started_at END,
    used = CASE
      WHEN rate_window.started_at + interval '60 seconds' <= excluded.started_at THEN excluded.used
      ELSE rate_window.used + least(excluded.granted, greatest(excluded.allowed - rate_window.used, 0)) END,
    granted = CASE
      WHEN rate_window.started_at + interval '60 seconds' <= excluded.started_at THEN excluded.granted
      ELSE least(excluded.granted, greatest(excluded.allowed - rate_window.used, 0)) END,
    allowed = excluded.allowed
  RETURNING account_id, used, granted,
    greatest(1, ceil(extract(epoch FROM started_at + interval '60 seconds' - clock_timestamp())))::integer AS ends_in_s
), shared AS (
  SELECT known.*, coalesce(counted.granted, 0) AS of_key, coalesce(counted.used, 0) AS used_of_key,
    coalesce(counted.ends_in_s, 60) AS ends_in_s,
    coalesce(account_counted.used, 0) AS account_used, coalesce(account_counted.ends_in_s, 60) AS account_ends_in_s,
    -- In the order of the parameters, as far as the account's window goes.
    coalesce(least(counted.granted, greatest(0, account_counted.granted + counted.granted
      - sum(counted.granted) OVER (PARTITION BY account_id ORDER BY ordinal))), 0)::integer AS granted
  FROM known
  LEFT JOIN counted USING (account_id, window_id)
  LEFT JOIN account_counted USING (account_id)
)`;

/** The state of the windows, in addition to the columns of `known`. A count of 0 has no window. */
export const COUNTS = `granted, ends_in_s, account_limit, account_used, account_ends_in_s,
  CASE WHEN granted < of_key THEN keys.give_back(account_id, window_id, of_key - granted) ELSE used_of_key END AS used,
  granted < of_key AS is_of_account
FROM shared`;

/** The limit of an account by the name of its plan, in a query that has the account. */
export const ACCOUNT_LIMIT = `coalesce(
    ($5::integer[])[array_position($4::text[], accounts.plan)], $6::integer) AS account_limit`;

export type CountParams = [
  secretSha256s: readonly Uint8Array[],
  counts: readonly number[],
  /** Limit of a key, or of a token. */
  limit: number,
  /** Plans whose accounts have another limit than the default, and their limits. */
  plans: readonly string[],
  accountLimits: readonly number[],
  defaultAccountLimit: number,
];

/** The row of a secret that is known and live; others have no row. */
export interface CountedRow {
  /** Starts at 1, in the order of the parameters. */
  readonly ordinal: string;
  readonly account_id: string;
  /** The id of the key, or of the token. */
  readonly key_id: string;
  /** Null if the account has the default plan. */
  readonly plan: string | null;
  readonly granted: number;
  readonly used: number;
  readonly ends_in_s: number;
  readonly account_limit: number;
  /** Requests of all keys and tokens in the account's window. */
  readonly account_used: number;
  readonly account_ends_in_s: number;
  /** Whether the account's window refused what is not granted. */
  readonly is_of_account: boolean;
}
