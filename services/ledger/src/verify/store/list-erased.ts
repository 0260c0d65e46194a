// The events of a range with erased parts, in ascending order. Called by verify-erasures.ts for ranges that
// have some.

import { statement } from "@annals/postgres";

type Params = [accountId: string, fromSequence: string, toSequence: string];

export interface ErasedRow {
  readonly sequence_number: string;
  readonly id: string;
  readonly erased: number;
}

export const listErased = statement<Params, ErasedRow>(
  `/* ledger.list-erased */
SELECT sequence_number, id, erased
FROM ledger.events
WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint AND erased <> 0
ORDER BY sequence_number
`,
  { route: "one account" },
);
