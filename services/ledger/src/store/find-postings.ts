// Which events of some chunks have some values, by the filter index. A chunk where no event has a value
// gives no row for it. Beyond a number of bytes of stored ordinals, counted chunk by chunk in the order of
// the search, the ordinals of a chunk are null and were not read; those of the first chunk never are.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** In the order of the search. */
  chunks: readonly number[],
  /** Pair by pair. */
  fields: readonly string[],
  values: readonly string[],
  /** 1 for chunks that ascend, -1 for others. */
  direction: 1 | -1,
  maxBytes: number,
];

export interface PostingRow {
  readonly chunk: string;
  readonly field: string;
  readonly ordinals: readonly number[] | null;
}

// The LIMIT gives no row less. It keeps PostgreSQL from joining with all postings of the account. The size of
// an array is known without reading one that is stored apart.
export const findPostings = statement<Params, PostingRow>(`/* ledger.find-postings */
SELECT chunk, field,
  CASE WHEN bytes <= $6::bigint OR chunk = ($2::bigint[])[1] THEN array_to_json(ordinals) END AS ordinals
FROM (
  SELECT posting.chunk, term.field, posting.ordinals,
    sum(pg_column_size(posting.ordinals)) OVER (ORDER BY posting.chunk * $5::integer) AS bytes
  FROM unnest($3::text[], $4::text[]) AS term (field, value)
  CROSS JOIN LATERAL (
    SELECT chunk, ordinals FROM ledger.postings
    WHERE account_id = $1::text AND field = term.field AND value = term.value
      AND chunk = ANY ($2::bigint[])
    LIMIT cardinality($2::bigint[])
  ) AS posting
) AS measured
`);
