// Which indexed chunks of an account can have an event that occurred within a time, of a range of chunks,
// in order.

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
  /** Null for none. */
  readonly chunks: readonly number[] | null;
}

export const findChunksByTime = statement<Params, Row>(`/* ledger.find-chunks-by-time */
SELECT array_to_json(array_agg(chunk ORDER BY chunk)) AS chunks FROM ledger.chunks
WHERE account_id = $1::text AND chunk BETWEEN $2::bigint AND $3::bigint
  AND ($4::text IS NULL OR latest >= $4::text)
  AND ($5::text IS NULL OR earliest < $5::text)
`);
