// Lists the numbers of the events of a range whose values an erasure has queued to be taken out of the
// filter index, the newest first. Called by read-segments.ts.

import { statement } from "@annals/postgres";

type Params = [accountId: string, from: number, to: number, limit: number];

export const listUnindexed = statement<Params, { readonly number: string }>(
  `/* ledger.list-unindexed */
SELECT DISTINCT sequence_number AS number FROM ledger.unindexed
WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
ORDER BY sequence_number DESC LIMIT $4::integer
`,
  { route: "one account" },
);
