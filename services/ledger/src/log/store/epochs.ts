// The epochs of a head log. Called by the epoch closer and by the RPCs of the log.

import { statement } from "@annals/postgres";

type NewEpoch = [
  log: number,
  epoch: string,
  entry: string,
  time: string,
  checkpoint: string,
  buckets: Buffer | null,
  isServed: boolean,
];

/** Stores an epoch, served at once if no quorum is asked for. It may repeat (ON CONFLICT DO NOTHING). */
export const createEpoch = statement<NewEpoch, never>(
  `/* ledger.create-epoch */
INSERT INTO ledger.epochs (log, epoch, entry, time, checkpoint, buckets, quorum_at)
VALUES ($1::smallint, $2::bigint, $3::text, $4::text, $5::text, $6::bytea,
  CASE WHEN $7::boolean THEN statement_timestamp() END)
ON CONFLICT (log, epoch) DO NOTHING
`,
  { route: "local" },
);

export interface EpochRow {
  readonly epoch: string;
  readonly entry: string;
  readonly time: string;
  readonly checkpoint: string;
}

/** The newest epoch of a log, served or not. */
export const getNewestEpoch = statement<[log: number], EpochRow & { readonly is_served: boolean }>(
  `/* ledger.get-newest-epoch */
SELECT epoch, entry, time, checkpoint, quorum_at IS NOT NULL AS is_served FROM ledger.epochs
WHERE log = $1::smallint
ORDER BY epoch DESC
LIMIT 1
`,
  { route: "local" },
);

export const getEpoch = statement<[log: number, epoch: string], EpochRow>(
  `/* ledger.get-epoch */
SELECT epoch, entry, time, checkpoint FROM ledger.epochs
WHERE log = $1::smallint AND epoch = $2::bigint
`,
  { route: "local" },
);

/** The newest served epoch of a log. */
export const getNewestServedEpoch = statement<[log: number], EpochRow>(
  `/* ledger.get-newest-served-epoch */
SELECT epoch, entry, time, checkpoint FROM ledger.epochs
WHERE log = $1::smallint AND quorum_at IS NOT NULL
ORDER BY epoch DESC
LIMIT 1
`,
  { route: "local" },
);

/** Serves an epoch from now on, unless the log lacks a checkpoint. One that is served stays as it is. */
export const serveEpoch = statement<[log: number, epoch: string], never>(
  `/* ledger.serve-epoch */
UPDATE ledger.epochs SET quorum_at = statement_timestamp()
WHERE log = $1::smallint AND epoch = $2::bigint AND quorum_at IS NULL
  AND NOT EXISTS (SELECT FROM ledger.logs WHERE log = $1::smallint AND missing IS NOT NULL)
`,
  { route: "local" },
);

/** When the first epoch after the newest served one was closed. */
export const getUnservedSince = statement<[log: number], { readonly time: string }>(
  `/* ledger.get-unserved-since */
SELECT time FROM ledger.epochs
WHERE log = $1::smallint AND epoch > coalesce((
  SELECT epoch FROM ledger.epochs
  WHERE log = $1::smallint AND quorum_at IS NOT NULL
  ORDER BY epoch DESC
  LIMIT 1
), 0)
ORDER BY epoch
LIMIT 1
`,
  { route: "local" },
);

/** The first served epoch from one on: its checkpoint holds the entries of all before it. */
export const getServingEpoch = statement<[log: number, from: string], EpochRow>(
  `/* ledger.get-serving-epoch */
SELECT epoch, entry, time, checkpoint FROM ledger.epochs
WHERE log = $1::smallint AND epoch >= $2::bigint AND quorum_at IS NOT NULL
ORDER BY epoch
LIMIT 1
`,
  { route: "local" },
);

/** The serving epochs of some epochs. One that is not served yet is left out. */
export const getServingEpochs = statement<
  [log: number, epochs: readonly string[]],
  EpochRow & { readonly asked: string }
>(
  `/* ledger.get-serving-epochs */
SELECT asked.epoch AS asked, serving.epoch, serving.entry, serving.time, serving.checkpoint
FROM unnest($2::bigint[]) AS asked (epoch)
CROSS JOIN LATERAL (
  SELECT epoch, entry, time, checkpoint FROM ledger.epochs
  WHERE log = $1::smallint AND epochs.epoch >= asked.epoch AND quorum_at IS NOT NULL
  ORDER BY epochs.epoch
  LIMIT 1
) AS serving
`,
  { route: "local" },
);

export interface MapRow {
  readonly epoch: string;
  readonly entry: string;
  readonly buckets: Buffer;
}

type Maps = [log: number, after: string, to: string, count: number];

/** Epochs whose map is kept, after one and up to another, in their order. */
export const listMaps = statement<Maps, MapRow>(
  `/* ledger.list-maps */
SELECT epoch, entry, buckets FROM ledger.epochs
WHERE log = $1::smallint AND epoch > $2::bigint AND epoch <= $3::bigint AND buckets IS NOT NULL
ORDER BY epoch
LIMIT $4::integer
`,
  { route: "local" },
);

type Day = [log: number, from: string, dayAfter: string, to: string];

/**
 * The last epoch of a UTC day whose map is kept, from an epoch of that day up to another one. It reads the
 * epochs of one day, whatever the log has.
 */
export const getLastMapOfDay = statement<Day, MapRow>(
  `/* ledger.get-last-map-of-day */
SELECT epoch, entry, buckets FROM ledger.epochs
WHERE log = $1::smallint AND epoch >= $2::bigint AND epoch <= $4::bigint AND buckets IS NOT NULL
  AND epoch < coalesce((
    SELECT epoch FROM ledger.epochs
    WHERE log = $1::smallint AND epoch > $2::bigint AND time >= $3::text
    ORDER BY epoch
    LIMIT 1
  ), $4::bigint + 1)
ORDER BY epoch DESC
LIMIT 1
`,
  { route: "local" },
);

type Range = [log: number, from: string, count: number];

/** Entries of the head log, in their order. */
export const listLogEntries = statement<Range, { readonly entry: string }>(
  `/* ledger.list-log-entries */
SELECT entry FROM ledger.epochs
WHERE log = $1::smallint AND epoch >= $2::bigint
ORDER BY epoch
LIMIT $3::integer
`,
  { route: "local" },
);

/** The newest entry of the log of a kind, up to an epoch. */
export const getNewestMapEntry = statement<
  [log: number, epoch: string],
  { readonly entry: string }
>(
  `/* ledger.get-newest-map-entry */
SELECT entry FROM ledger.epochs
WHERE log = $1::smallint AND epoch <= $2::bigint AND entry LIKE '%"kind":"heads"%'
ORDER BY epoch DESC
LIMIT 1
`,
  { route: "local" },
);

export interface KeptMapRow {
  readonly epoch: string;
  readonly time: string;
}

/** The epochs of a log whose map is kept, after one, in their order. */
export const listKeptMaps = statement<[log: number, after: string, count: number], KeptMapRow>(
  `/* ledger.list-kept-maps */
SELECT epoch, time FROM ledger.epochs
WHERE log = $1::smallint AND epoch > $2::bigint AND buckets IS NOT NULL
ORDER BY epoch
LIMIT $3::integer
`,
  { route: "local" },
);

/** Forgets the maps of some epochs. Their entries and checkpoints stay. */
export const forgetMaps = statement<[log: number, epochs: readonly string[]], never>(
  `/* ledger.forget-maps */
UPDATE ledger.epochs SET buckets = NULL
WHERE log = $1::smallint AND epoch = ANY ($2::bigint[]) AND buckets IS NOT NULL
`,
  { route: "local" },
);
