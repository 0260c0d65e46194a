// Stores what others have signed or keep of an epoch. What is there stays: the first one counts.

import { statement } from "@annals/postgres";

type NewAnchor = [
  log: number,
  epoch: string,
  kind: "witness" | "timestamp" | "bucket",
  name: string,
  bytes: Buffer,
  /** Seconds since 1970. */
  time: number,
];

export const createAnchor = statement<NewAnchor, never>(
  `/* ledger.create-anchor */
INSERT INTO ledger.anchors (log, epoch, kind, name, bytes, time)
VALUES ($1::smallint, $2::bigint, $3::text, $4::text, $5::bytea, to_timestamp($6::double precision))
ON CONFLICT (log, epoch, kind, name) DO NOTHING
`,
  { route: "local" },
);

/** When the first epoch after the newest one with a time stamp was closed. */
export const getUnstampedSince = statement<[log: number], { readonly time: string }>(
  `/* ledger.get-unstamped-since */
SELECT time FROM ledger.epochs
WHERE log = $1::smallint AND epoch > coalesce((
  SELECT epoch FROM ledger.anchors
  WHERE log = $1::smallint AND kind = 'timestamp'
  ORDER BY epoch DESC
  LIMIT 1
), 0)
ORDER BY epoch
LIMIT 1
`,
  { route: "local" },
);

type Bucket = [log: number, name: string];

/** When the first epoch after the newest one that is locked in a bucket was first served. */
export const getUnlockedSince = statement<Bucket, { readonly time: string }>(
  `/* ledger.get-unlocked-since */
SELECT to_char(quorum_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time FROM ledger.epochs
WHERE log = $1::smallint AND quorum_at IS NOT NULL AND epoch > coalesce((
  SELECT epoch FROM ledger.anchors
  WHERE log = $1::smallint AND kind = 'bucket' AND name = $2::text
  ORDER BY epoch DESC
  LIMIT 1
), 0)
ORDER BY epoch
LIMIT 1
`,
  { route: "local" },
);

export interface LockedRow {
  readonly name: string;
  readonly epoch: string;
  /** When the ledger heard of it: UTC with six fraction digits. */
  readonly time: string;
}

/** The newest checkpoint of a log that is locked in a bucket. */
export const getNewestLocked = statement<[log: number], LockedRow>(
  `/* ledger.get-newest-locked */
SELECT name, epoch, to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time
FROM ledger.anchors
WHERE log = $1::smallint AND kind = 'bucket'
ORDER BY epoch DESC, name
LIMIT 1
`,
  { route: "local" },
);
