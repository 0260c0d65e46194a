// The newest epoch that is served, of the newest log: the one that a quorum of witnesses has seen, or simply
// the newest if none is asked for.

import { statement } from "@annals/postgres";

export interface ServedEpochRow {
  readonly log: number;
  readonly epoch: string;
}

export const getServedEpoch = statement<[], ServedEpochRow>(
  `/* ledger.get-served-epoch */
SELECT log, epoch FROM ledger.epochs
WHERE quorum_at IS NOT NULL
ORDER BY log DESC, epoch DESC
LIMIT 1
`,
  { route: "local" },
);
