// Which events of some chunks have some values, by the filter index. A chunk where no event has a value gives
// no row for it.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Of chunks, both included. */
  from: number,
  to: number,
  /** Pair by pair. */
  fields: readonly string[],
  values: readonly string[],
];

export interface PostingRow {
  readonly chunk: string;
  readonly field: string;
  readonly ordinals: readonly number[];
}

// The LIMIT gives no row less. It keeps PostgreSQL from joining with all postings of the account.
export const findPostings = statement<Params, PostingRow>(`/* ledger.find-postings */
SELECT posting.chunk, term.field, array_to_json(posting.ordinals) AS ordinals
FROM unnest($4::text[], $5::text[]) AS term (field, value)
CROSS JOIN LATERAL (
  SELECT chunk, ordinals FROM ledger.postings
  WHERE account_id = $1::text AND field = term.field AND value = term.value
    AND chunk BETWEEN $2::bigint AND $3::bigint
  LIMIT $3::bigint - $2::bigint + 1
) AS posting
`);
