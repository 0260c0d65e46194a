// The values that viewers can filter by: the actions and types of those among some events of an account that
// match a filter, each combination once, in the order of the numbers.

import { statement } from "@annals/postgres";
import type { FilterParams } from "../../store/find-matches.ts";
import { ofNumbers } from "../../store/list-events.ts";

type Params = [accountId: string, numbers: readonly number[], ...FilterParams];

export interface ValuesRow {
  readonly action: string;
  readonly actor_type: string | null;
  readonly target_type: string | null;
}

export const listValues = statement<Params, ValuesRow>(
  `/* ledger.list-values */
SELECT action, actor_type, target_type
${ofNumbers(3)}
GROUP BY action, actor_type, target_type
ORDER BY min(place)
`,
  { route: "one account" },
);
