// Records how far the scheduled verification of a chain has come.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  sequenceNumber: string,
  hash: string,
  /** Number of chunks of the filter index that have been compared since they were sealed. */
  chunks: string,
  /** Whether the verification has reached the head: then the whole chain is valid. */
  isComplete: boolean,
  secondsToNext: number,
];

// OFFSET keeps PostgreSQL from moving the clock into CASE, where a distributed PostgreSQL takes none: it
// would run the subquery by itself, before the rest.
export const recordVerification = statement<Params, object>(
  `/* ledger.record-verification */
UPDATE ledger.verifications AS kept SET
  sequence_number = $2::bigint,
  hash = $3::text,
  chunks = $4::bigint,
  verified_at = CASE WHEN $5::boolean THEN moment.now ELSE verified_at END,
  due_at = moment.next
FROM (
  SELECT statement_timestamp() AS now, statement_timestamp() + $6::integer * interval '1 second' AS next
  OFFSET 0
) AS moment
WHERE kept.account_id = $1::text
`,
  { route: "one account" },
);
