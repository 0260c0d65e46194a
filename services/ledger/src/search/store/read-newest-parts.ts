// The parts of the newest events of an account, as far as they fit into a number of bytes: those of the
// first one are always read. Called by list-search-paths.ts.

import { statement } from "@annals/postgres";
import { IS_KEPT } from "../../store/find-matches.ts";
import type { Parts } from "../rules/paths-in.ts";

type Params = [accountId: string, limit: number, maxBytes: number];

export const readNewestParts = statement<Params, Parts>(
  `/* ledger.read-newest-parts */
SELECT actor, context, diff, metadata, target
FROM (
  SELECT *, sum(bytes) OVER (ORDER BY sequence_number DESC ROWS UNBOUNDED PRECEDING) AS all_bytes
  FROM (
    SELECT sequence_number, actor, context, diff, metadata, target, octet_length(actor) + octet_length(context)
      + octet_length(diff) + octet_length(metadata) + octet_length(target) AS bytes
    FROM ledger.events
    WHERE account_id = $1::text AND ${IS_KEPT}
    ORDER BY sequence_number DESC
    LIMIT $2::integer
  ) AS event
) AS measured
WHERE all_bytes - bytes < $3::bigint
ORDER BY sequence_number DESC
`,
  { route: "one account", customPlan: true },
);
