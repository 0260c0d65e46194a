// Finds the events of some chunks that have some values, by the filter index. A chunk in which no event has a
// value has no row for it. Beyond a number of bytes of stored ordinals, counted chunk by chunk in the order
// of the search, the ordinals of a chunk are null and not read; those of the first chunk are always read.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Chunks in the order of the search. */
  chunks: readonly number[],
  /** Pairs of a field and a value. */
  fields: readonly string[],
  values: readonly string[],
  /** 1 if the chunks ascend, -1 if they descend. */
  direction: 1 | -1,
  maxBytes: number,
];

export interface PostingRow {
  readonly chunk: string;
  readonly field: string;
  readonly ordinals: readonly number[] | null;
}

// The LIMIT leaves out no row. It keeps PostgreSQL from joining with all postings of the account. PostgreSQL
// knows the size of an array that is stored out of line without reading it.
export const findPostings = statement<Params, PostingRow>(
  `/* ledger.find-postings */
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
`,
  { route: "one account" },
);
