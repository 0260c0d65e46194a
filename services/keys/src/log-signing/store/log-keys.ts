// The public keys that have signed a log, and since when a newer one signs along with each. Called by
// log-signer.ts, when its file is read and before it signs.

import { statement } from "@annals/postgres";

/** Records the keys of a file, newest first. A newest key that is new supersedes all that came before it. */
export const recordLogKeys = statement<[publicKeys: readonly Buffer[], now: string], never>(
  `/* keys.record-log-keys */
WITH added AS (
  INSERT INTO keys.log_keys (public_key, first_used_at, superseded_at)
  SELECT public_key, $2::timestamptz, CASE WHEN ordinal > 1 THEN $2::timestamptz END
  FROM unnest($1::bytea[]) WITH ORDINALITY AS given (public_key, ordinal)
  ORDER BY public_key
  ON CONFLICT (public_key) DO NOTHING
  RETURNING superseded_at
)
UPDATE keys.log_keys SET superseded_at = $2::timestamptz
WHERE superseded_at IS NULL AND EXISTS (SELECT FROM added WHERE added.superseded_at IS NULL)
`,
  { route: "local" },
);

export interface LeftOutKeyRow {
  readonly public_key: Buffer;
  /** The day in UTC from which on it may be left out. Null as long as no newer key has signed. */
  readonly until: string | null;
}

type LeftOut = [publicKeys: readonly Buffer[], now: string, overlapDays: number];

/** A key that has signed, is not among these, and may not be left out yet. */
export const findLeftOutKey = statement<LeftOut, LeftOutKeyRow>(
  `/* keys.find-left-out-key */
SELECT public_key,
  to_char((superseded_at + $3::integer * interval '24 hours') AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS until
FROM keys.log_keys
WHERE public_key <> ALL ($1::bytea[])
  AND (superseded_at IS NULL OR superseded_at + $3::integer * interval '24 hours' > $2::timestamptz)
ORDER BY first_used_at DESC, public_key
LIMIT 1
`,
  { route: "local" },
);
