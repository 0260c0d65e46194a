// The ends of a search of an account: from the first event that retention has left to the last one, how far
// the filter index goes, and from where it is not sealed. It has no gap.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import { SEALED_SIZE } from "../search/rules/segment.ts";

interface Row {
  /** The last number that is in the index; 0: none. */
  readonly indexed: string;
  readonly sealed: string;
  readonly first: string;
  readonly last: string;
}

export const getSearchEnds = statement<[accountId: string], Row>(
  `/* ledger.get-search-ends */
SELECT
  (SELECT coalesce(max(base) + ${CHUNK_SIZE}, 0) FROM ledger.segments WHERE account_id = $1::text AND level = 0)
    AS indexed,
  (SELECT coalesce(max(base) + ${SEALED_SIZE}, 0) FROM ledger.segments WHERE account_id = $1::text AND level = 1)
    AS sealed,
  (SELECT coalesce(max(deleted_through), 0) + 1 FROM ledger.lifecycles WHERE account_id = $1::text) AS first,
  (SELECT coalesce(max(sequence_number), 0) FROM ledger.events WHERE account_id = $1::text) AS last
`,
  { route: "one account" },
);
