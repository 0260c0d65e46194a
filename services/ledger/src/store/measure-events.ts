// The numbers and sizes of the events of an account after a number, in order. The parts are not read:
// PostgreSQL knows the length of a value that is stored out of line.

import { statement } from "@annals/postgres";
import { IS_KEPT } from "./find-matches.ts";

type Params = [accountId: string, afterSequence: bigint, limit: number];

export interface EventSizeRow {
  readonly sequence_number: string;
  readonly bytes: number;
}

export const measureEvents = statement<Params, EventSizeRow>(
  `/* ledger.measure-events */
SELECT sequence_number, octet_length(actor) + octet_length(context) + octet_length(diff) + octet_length(metadata)
  + octet_length(target) AS bytes
FROM ledger.events
WHERE account_id = $1::text AND sequence_number > $2::bigint AND ${IS_KEPT}
ORDER BY sequence_number
LIMIT $3::integer
`,
  { route: "one account", customPlan: true },
);
