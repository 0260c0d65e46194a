// The rows of the bucket that keeps the head log: how far an upload is, and when the next one may begin.
// Called by worker/bucket-anchor.ts.

import { statement } from "@annals/postgres";

type Bucket = [log: number, bucket: string];

export const createAnchor = statement<Bucket, never>(
  `/* exports.create-anchor */
INSERT INTO exports.anchors (log, bucket) VALUES ($1::smallint, $2::text)
ON CONFLICT (log, bucket) DO NOTHING
`,
  { route: "local" },
);

type Claim = [log: number, bucket: string, seconds: number];

/** Leaves a bucket that is due to this process for some seconds. No row: it is not due, or is taken. */
export const claimAnchor = statement<Claim, { readonly size: string }>(
  `/* exports.claim-anchor */
UPDATE exports.anchors SET due_at = statement_timestamp() + $3::integer * interval '1 second'
WHERE log = $1::smallint AND bucket = $2::text AND due_at <= statement_timestamp()
RETURNING size
`,
  { route: "local" },
);

/** Full tiles are there up to this size: an upload that goes on begins there. */
export const moveAnchor = statement<[log: number, bucket: string, size: string], never>(
  `/* exports.move-anchor */
UPDATE exports.anchors SET size = $3::bigint
WHERE log = $1::smallint AND bucket = $2::text
`,
  { route: "local" },
);

/** A checkpoint is there, and says from now on how far the bucket is. */
export const succeedAnchor = statement<Claim, never>(
  `/* exports.succeed-anchor */
UPDATE exports.anchors
SET size = 0, failing_since = NULL, due_at = statement_timestamp() + $3::integer * interval '1 second'
WHERE log = $1::smallint AND bucket = $2::text
`,
  { route: "local" },
);

type Failure = [log: number, bucket: string, leastSeconds: number, mostSeconds: number];

/** No checkpoint was stored. The next attempt follows after as long as it has failed, within bounds. */
export const failAnchor = statement<Failure, never>(
  `/* exports.fail-anchor */
UPDATE exports.anchors
SET failing_since = coalesce(failing_since, statement_timestamp()),
  due_at = statement_timestamp() + greatest($3::integer, least($4::integer,
    extract(epoch FROM statement_timestamp() - coalesce(failing_since, statement_timestamp())))) * interval '1 second'
WHERE log = $1::smallint AND bucket = $2::text
`,
  { route: "local" },
);
