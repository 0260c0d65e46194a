// The ends of a search of an account: from the first event that retention has left to the last one, and how
// many chunks the filter index has. They are the first chunks, without a gap.

import { statement } from "@annals/postgres";

interface Row {
  readonly chunks: string;
  readonly first: string;
  readonly last: string;
}

export const getSearchEnds = statement<[accountId: string], Row>(
  `/* ledger.get-search-ends */
SELECT
  (SELECT coalesce(max(chunk) + 1, 0) FROM ledger.chunks WHERE account_id = $1::text) AS chunks,
  (SELECT coalesce(max(deleted_through), 0) + 1 FROM ledger.lifecycles WHERE account_id = $1::text) AS first,
  (SELECT coalesce(max(sequence_number), 0) FROM ledger.events WHERE account_id = $1::text) AS last
`,
  { route: "one account" },
);
