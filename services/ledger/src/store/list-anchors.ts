// What others have signed of an epoch, of one kind, in the order in which they did.

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
