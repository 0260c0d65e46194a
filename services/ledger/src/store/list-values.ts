// What readers choose from: action and types of one page of the events of an account that match a filter,
// newest first. Read as list-events.ts reads, without the parts.

import { statement } from "@annals/postgres";
import {
  CHAIN_FIRST,
  type ListParams,
  type Matching,
  PAYLOADS_FIRST,
  type Reads,
} from "./list-events.ts";

export interface ValuesRow {
  readonly sequence_number: string;
  readonly action: string;
  readonly actor_type: string | null;
  readonly target_type: string | null;
}

// The statements differ in what cannot be a parameter.
const reading = (name: string, { from, number }: Matching) =>
  statement<ListParams, ValuesRow>(
    `/* ledger.${name} */
SELECT chain.sequence_number, action, actor_type, target_type
${from}
ORDER BY ${number} DESC
LIMIT $14::integer
`,
    { customPlan: true },
  );

export const listValues: Reads<ValuesRow> = {
  chainFirst: reading("list-values", CHAIN_FIRST),
  payloadsFirst: reading("list-values-by-payload", PAYLOADS_FIRST),
};
