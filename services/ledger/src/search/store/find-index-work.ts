// Finds accounts whose filter index is behind their chains, or has fresh segments to seal, among the next
// accounts after the given one. The last account of the page is in the result, too: the next page begins
// after it.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../rules/chunk.ts";
import { SEALED_SIZE } from "../rules/segment.ts";

type Params = [afterAccountId: string, limit: number];

export interface IndexWorkRow {
  readonly account_id: string;
  /** The last number that is indexed, that is sealed, that retention has deleted, and that is stored. */
  readonly indexed: string;
  readonly sealed: string;
  readonly deleted: string;
  readonly last: string;
  /** Accounts of the page. */
  readonly accounts: number;
}

// What retention has entered is not sealed.
export const findIndexWork = statement<Params, IndexWorkRow>(
  `/* ledger.find-index-work */
WITH page AS MATERIALIZED (
  SELECT account_id, sequence_number AS last,
    CASE WHEN sequence_number < ${CHUNK_SIZE} THEN 0 ELSE
      coalesce((SELECT max(base) + ${CHUNK_SIZE} FROM ledger.segments
        WHERE segments.account_id = heads.account_id AND level = 0), 0)
    END AS indexed,
    CASE WHEN sequence_number < ${SEALED_SIZE} THEN 0 ELSE
      coalesce((SELECT max(base) + ${SEALED_SIZE} FROM ledger.segments
        WHERE segments.account_id = heads.account_id AND level = 1), 0)
    END AS sealed,
    CASE WHEN sequence_number < ${SEALED_SIZE} THEN 0 ELSE
      coalesce((SELECT max(deleted_through) FROM ledger.lifecycles
        WHERE lifecycles.account_id = heads.account_id), 0)
    END AS deleted
  FROM ledger.heads
  WHERE account_id > $1::text
  ORDER BY account_id
  LIMIT $2::integer
)
SELECT account_id, indexed, sealed, deleted, last,
  (SELECT count(*)::integer FROM page) AS accounts
FROM page
WHERE last - indexed >= ${CHUNK_SIZE}
  OR indexed - greatest(sealed, (deleted + ${SEALED_SIZE - 1}) / ${SEALED_SIZE} * ${SEALED_SIZE}) >= ${SEALED_SIZE}
  OR account_id = (SELECT max(account_id) FROM page)
ORDER BY account_id
`,
  { route: "all accounts, read" },
);
