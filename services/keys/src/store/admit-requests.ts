// Authenticates and counts a group of requests in one statement. The database's clock and the row
// lock of the rate window decide, so any number of gateways and of keys services count as one
// (interface 8). A count of 0 authenticates, and neither counts nor begins a window. It must never get two
// entries with the same secret: one statement cannot update a row twice.

import { statement } from "@annals/postgres";

type Params = [secretSha256s: readonly Uint8Array[], counts: readonly number[], limit: number];

export interface AdmissionRow {
  /** From 1, in the order of the parameters. A secret that is unknown or revoked has no row. */
  readonly ordinal: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly scopes: readonly string[];
  /** Null where the account has the default plan. */
  readonly plan: string | null;
  readonly granted: number;
  readonly used: number;
  readonly ends_in_s: number;
}

// "excluded.started_at" is the one reading of the clock that the decision about a row is based on. Rows are
// locked in the order of the primary key, so that two groups never deadlock.
export const admitRequests = statement<Params, AdmissionRow>(`/* keys.admit-requests */
WITH asked AS (
  SELECT secret_sha256, wanted, ordinal
  FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS given (secret_sha256, wanted, ordinal)
), known AS (
  SELECT asked.ordinal, asked.wanted, api_keys.account_id, api_keys.id AS key_id, api_keys.scopes, accounts.plan
  FROM asked
  JOIN keys.api_keys ON api_keys.secret_sha256 = asked.secret_sha256 AND api_keys.revoked_at IS NULL
  JOIN keys.accounts ON accounts.account_id = api_keys.account_id
), counted AS (
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
)
SELECT ordinal, account_id, key_id, scopes, plan,
  coalesce(granted, 0) AS granted, coalesce(used, 0) AS used, coalesce(ends_in_s, 60) AS ends_in_s
FROM known LEFT JOIN counted USING (account_id, key_id)
`);
