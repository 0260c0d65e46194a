// What others have signed of an epoch, in the order in which they did: of one kind, or of several epochs.

import { statement } from "@annals/postgres";

export interface AnchorRow {
  readonly name: string;
  readonly bytes: Buffer;
  /** UTC with six fraction digits. */
  readonly time: string;
}

export const listAnchors = statement<[log: number, epoch: string, kind: string], AnchorRow>(
  `/* ledger.list-anchors */
SELECT name, bytes, to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time
FROM ledger.anchors
WHERE log = $1::smallint AND epoch = $2::bigint AND kind = $3::text
ORDER BY time, name
LIMIT 100
`,
  { route: "local" },
);

type OfEpochs = [log: number, epochs: readonly string[], kinds: readonly string[]];

export interface EpochAnchorRow extends Pick<AnchorRow, "bytes"> {
  readonly epoch: string;
  readonly kind: string;
}

/** Lists those of some epochs and kinds, at most as many of each as {@link listAnchors} does. */
export const listAnchorsOfEpochs = statement<OfEpochs, EpochAnchorRow>(
  `/* ledger.list-anchors-of-epochs */
SELECT asked.epoch, kinds.kind, anchor.bytes
FROM unnest($2::bigint[]) AS asked (epoch)
CROSS JOIN unnest($3::text[]) AS kinds (kind)
CROSS JOIN LATERAL (
  SELECT bytes, time, name FROM ledger.anchors
  WHERE log = $1::smallint AND anchors.epoch = asked.epoch AND anchors.kind = kinds.kind
  ORDER BY time, name
  LIMIT 100
) AS anchor
ORDER BY asked.epoch, kinds.kind, anchor.time, anchor.name
`,
  { route: "local" },
);
