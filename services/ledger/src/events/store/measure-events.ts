// The numbers and sizes of the events of an account after a number, in order, and if asked for the values
// that filters read. The parts are not read: PostgreSQL knows the length of a value that is stored out of
// line.

import { statement } from "@annals/postgres";
import { IS_KEPT } from "../../store/find-matches.ts";

type Params = [accountId: string, afterSequence: bigint, limit: number, hasValues: boolean];

export interface EventSizeRow {
  readonly sequence_number: string;
  readonly bytes: number;
  /** Null if no values were asked for. */
  readonly action: string | null;
  readonly actor_id: string | null;
  readonly actor_type: string | null;
  readonly target_id: string | null;
  readonly target_type: string | null;
}

export const measureEvents = statement<Params, EventSizeRow>(
  `/* ledger.measure-events */
SELECT sequence_number, octet_length(actor) + octet_length(context) + octet_length(diff) + octet_length(metadata)
  + octet_length(target) AS bytes, CASE WHEN $4::boolean THEN action END AS action,
  CASE WHEN $4::boolean THEN actor_id END AS actor_id, CASE WHEN $4::boolean THEN actor_type END AS actor_type,
  CASE WHEN $4::boolean THEN target_id END AS target_id, CASE WHEN $4::boolean THEN target_type END AS target_type
FROM ledger.events
WHERE account_id = $1::text AND sequence_number > $2::bigint AND ${IS_KEPT}
ORDER BY sequence_number
LIMIT $3::integer
`,
  { route: "one account", customPlan: true },
);
