// Finds the indexed chunks of an account, within a range of chunks, that may have an event that occurred
// within a time and was received within a time, in order.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Range of chunks. Both ends are included. */
  from: number,
  to: number,
  /** Ranges of time. The first end is inclusive, the second exclusive; null: no end. */
  occurredFrom: string | null,
  occurredTo: string | null,
  receivedFrom: string | null,
  receivedTo: string | null,
];

interface Row {
  /** Null if no chunk was found. */
  readonly chunks: readonly number[] | null;
}

export const findChunksByTime = statement<Params, Row>(
  `/* ledger.find-chunks-by-time */
SELECT array_to_json(array_agg(chunk ORDER BY chunk)) AS chunks FROM ledger.chunks
WHERE account_id = $1::text AND chunk BETWEEN $2::bigint AND $3::bigint
  AND ($4::text IS NULL OR latest >= $4::text)
  AND ($5::text IS NULL OR earliest < $5::text)
  AND ($6::text IS NULL OR last_received >= $6::text)
  AND ($7::text IS NULL OR first_received < $7::text)
`,
  { route: "one account" },
);
