// Finds the chunks of an account that the filter index has, that have a number of a range, and that may have
// an event that occurred within a time and was received within a time, in order; and which sealed segments
// there are.

import { statement } from "@annals/postgres";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import { SEALED_SIZE } from "../search/rules/segment.ts";

type Params = [
  accountId: string,
  /** Range of numbers. Both ends are included. */
  from: number,
  to: number,
  /** Ranges of time. The first end is inclusive, the second exclusive; null: no end. */
  occurredFrom: string | null,
  occurredTo: string | null,
  receivedFrom: string | null,
  receivedTo: string | null,
];

interface Row {
  /** Their bases. Null: there is none. */
  readonly chunks: readonly number[] | null;
  readonly sealed: readonly number[] | null;
}

export const findSegments = statement<Params, Row>(
  `/* ledger.find-segments */
SELECT array_to_json(array_agg(base ORDER BY base)) AS chunks, (
    SELECT array_to_json(array_agg(base)) FROM ledger.segments
    WHERE account_id = $1::text AND level = 1 AND base > $2::bigint - 1 - ${SEALED_SIZE} AND base < $3::bigint
  ) AS sealed
FROM ledger.segments
WHERE account_id = $1::text AND level = 0 AND base > $2::bigint - 1 - ${CHUNK_SIZE} AND base < $3::bigint
  AND ($4::text IS NULL OR latest >= $4::text)
  AND ($5::text IS NULL OR earliest < $5::text)
  AND ($6::text IS NULL OR last_received >= $6::text)
  AND ($7::text IS NULL OR first_received < $7::text)
`,
  { route: "one account" },
);
