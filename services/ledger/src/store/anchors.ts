// Stores what others have signed of an epoch. What is there stays: the first signature counts.

import { statement } from "@annals/postgres";

type NewAnchor = [
  log: number,
  epoch: string,
  kind: "witness" | "timestamp",
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
