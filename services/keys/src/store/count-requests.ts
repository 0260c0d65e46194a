// How requests are counted in the rate windows of keys and widget tokens: a part of the two statements that
// admit requests. Called by admit-requests.ts and admit-widget-requests.ts.

/**
 * The query `counted`, from the rows of a query `known` with account_id, key_id and wanted. `$3` is the limit
 * of a window. "excluded.started_at" is the one reading of the clock that the decision about a row is based
 * on. Rows are locked in the order of the primary key, so that two groups never deadlock.
 */
export const COUNTED = `counted AS (
  INSERT INTO keys.rate_windows AS rate_window (account_id, key_id, started_at, used, granted)
  SELECT account_id, key_id, clock_timestamp(), least(wanted, $3::integer), least(wanted, $3::integer)
  FROM known
  WHERE wanted > 0
  ORDER BY account_id, key_id
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
  RETURNING account_id, key_id, used, granted,
    greatest(1, ceil(extract(epoch FROM started_at + interval '60 seconds' - clock_timestamp())))::integer AS ends_in_s
)`;

/** What is answered of the window, beside the columns of `known`. A count of 0 has none. */
export const COUNTS = `coalesce(granted, 0) AS granted, coalesce(used, 0) AS used,
  coalesce(ends_in_s, 60) AS ends_in_s
FROM known LEFT JOIN counted USING (account_id, key_id)`;

export type CountParams = [
  secretSha256s: readonly Uint8Array[],
  counts: readonly number[],
  limit: number,
];

/** Of a secret that is known and live; others have no row. */
export interface CountedRow {
  /** From 1, in the order of the parameters. */
  readonly ordinal: string;
  readonly account_id: string;
  /** The id of the key, or of the token. */
  readonly key_id: string;
  /** Null where the account has the default plan. */
  readonly plan: string | null;
  readonly granted: number;
  readonly used: number;
  readonly ends_in_s: number;
}
