// The first and the last indexed chunk of an account with an event that can have occurred within a time; null
// where there is none.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Of chunks, both included. */
  from: number,
  to: number,
  /** Inclusive and exclusive; null: no end. */
  occurredFrom: string | null,
  occurredTo: string | null,
];

interface Row {
  readonly first: string | null;
  readonly last: string | null;
}

export const findChunksByTime = statement<Params, Row>(`/* ledger.find-chunks-by-time */
SELECT min(chunk) AS first, max(chunk) AS last FROM ledger.chunks
WHERE account_id = $1::text AND chunk BETWEEN $2::bigint AND $3::bigint
  AND ($4::text IS NULL OR latest >= $4::text)
  AND ($5::text IS NULL OR earliest < $5::text)
`);
