// One event of an account by its sequence number.

import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";
import { IS_KEPT } from "./find-matches.ts";

type Params = [accountId: string, sequenceNumber: string];

export const getEvent = statement<Params, EventRow>(
  `/* ledger.get-event */
SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts, erased
FROM ledger.events
WHERE account_id = $1::text AND sequence_number = $2::bigint AND ${IS_KEPT}
`,
  { route: "one account" },
);
